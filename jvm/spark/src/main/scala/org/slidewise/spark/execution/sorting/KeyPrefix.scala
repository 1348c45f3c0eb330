package org.slidewise.spark.execution.sorting

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  MutableProjection,
  SortOrder,
  SpecificInternalRow
}
import org.apache.spark.sql.types.LongType

import org.slidewise.spark.execution.blocks.BlockDecoder

/**
 * Encodes one order column of a row in 64 bits, compared as signed. Rows that sort first have smaller bits. Nulls have bits of
 * their own, before or after all values. The two extreme values next to the nulls share their bits. Not safe for concurrent use.
 */
final private[execution] class KeyPrefix(order: SortOrder, input: Seq[Attribute]) {
  private[this] val key = new SortKey(order)
  private[this] val read =
    MutableProjection.create(Seq(key.prefix), input).target(new SpecificInternalRow(Seq(LongType)))
  private[this] val flip = key.flip ^ Long.MinValue
  private[this] val ofField = FieldColumn.of(key.prefix, flip, input).orNull
  private[this] val ofNull = if (key.nullsFirst) Long.MinValue else Long.MaxValue

  /** The bits that two values share. */
  val shared: Long = if (key.nullsFirst) Long.MinValue + 1 else Long.MaxValue - 1

  /** Whether rows with these bits have equal values. */
  def isExact(bits: Long): Boolean = key.fits && bits != shared

  def apply(row: InternalRow): Long = {
    val value = read(row)
    if (value.isNullAt(0)) ofNull else unlikeNull(value.getLong(0) ^ flip)
  }

  private def unlikeNull(bits: Long): Long = if (bits == ofNull) shared else bits

  /** Whether the bits of a block's rows can be derived from one column of the block. */
  def isOfColumn: Boolean = ofField != null

  /** Writes the bits of a block's rows. */
  def read(block: BlockDecoder, into: Array[Long]): Unit = {
    ofField.read(block, into, 0)
    val nullable = block.anyNull(ofField.field)
    var row = 0
    while (row < block.count) {
      into(row) = if (nullable && block.isNull(ofField.field, row)) ofNull else unlikeNull(into(row))
      row += 1
    }
  }
}
