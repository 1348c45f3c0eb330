package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow

/** Decodes a sketch or a model, and caches the last one, since consecutive rows often hold the same. Not thread-safe. */
final private[expressions] class CachedDecoder[From, A] private (
    same: (From, From) => Boolean,
    keep: From => From,
    decode: From => A
) {
  private var last: Option[From] = None
  private var value: A = _

  def apply(from: From): A = {
    if (!last.exists(same(_, from))) {
      value = decode(from)
      last = Some(keep(from))
    }
    value
  }
}

private[expressions] object CachedDecoder {

  def ofBytes[A](decode: Array[Byte] => A): CachedDecoder[Array[Byte], A] =
    new CachedDecoder((a, b) => (a eq b) || java.util.Arrays.equals(a, b), identity, decode)

  /** Copies and compares rows, since Spark may reuse the memory of one for the next. */
  def ofRows[A](decode: InternalRow => A): CachedDecoder[InternalRow, A] =
    new CachedDecoder(_ == _, _.copy(), decode)
}
