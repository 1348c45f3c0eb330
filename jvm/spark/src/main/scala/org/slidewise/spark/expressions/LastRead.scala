package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow

/** What was read from a value last, since rows in a row often hold the same sketch or model. */
final private[expressions] class LastRead[From, A] private (
    same: (From, From) => Boolean,
    keep: From => From,
    read: From => A
) {
  private var last: Option[From] = None
  private var value: A = _

  def apply(from: From): A = {
    if (!last.exists(same(_, from))) {
      value = read(from)
      last = Some(keep(from))
    }
    value
  }
}

private[expressions] object LastRead {

  def ofBytes[A](read: Array[Byte] => A): LastRead[Array[Byte], A] =
    new LastRead((a, b) => (a eq b) || java.util.Arrays.equals(a, b), identity, read)

  /** Of rows whose memory may be another row's next: rows are compared by what they hold. */
  def ofRows[A](read: InternalRow => A): LastRead[InternalRow, A] = new LastRead(_ == _, _.copy(), read)
}
