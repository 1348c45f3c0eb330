package org.slidewise.spark.expressions

/** What was read from bytes last, since rows in a row often hold the same sketch. */
final private[expressions] class LastRead[A](read: Array[Byte] => A) {
  private var bytes: Array[Byte] = _
  private var value: A = _

  def apply(from: Array[Byte]): A = {
    if (bytes == null || !((bytes eq from) || java.util.Arrays.equals(bytes, from))) {
      value = read(from)
      bytes = from
    }
    value
  }
}
