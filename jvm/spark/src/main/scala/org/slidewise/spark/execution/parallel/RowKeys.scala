package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import org.slidewise.spark.execution.blocks.{BlockDecoder, RowsInBlocks}
import org.slidewise.spark.execution.sorting.KeyPrefix

/** The key of a row. */
abstract private[parallel] class RowKeys {

  /** The 64 bits of one of the key's columns, see [[KeyPrefix]]. */
  def bits(column: Int): Long

  /** The row. */
  def row: UnsafeRow
}

/**
 * The keys of the rows of blocks. Creates rows only for key columns that cannot be read from a column of the block. Memory: the
 * bits for the rows of a block.
 */
final private[parallel] class BlockKeys(columns: Array[KeyPrefix], rows: RowsInBlocks) extends RowKeys {
  private[this] val read = columns.map(column => if (column.isOfColumn) Array.emptyLongArray else null)
  private[this] var current = 0

  /** Moves to the block of `rows` that was read last. */
  def begin(block: BlockDecoder): Unit = {
    var c = 0
    while (c < columns.length) {
      if (read(c) != null) {
        if (read(c).length < block.count) read(c) = new Array[Long](block.count + block.count / 4)
        columns(c).read(block, read(c))
      }
      c += 1
    }
  }

  /** Moves to a row of the block. */
  def turnTo(number: Int): Unit = current = number

  override def bits(column: Int): Long =
    if (read(column) != null) read(column)(current) else columns(column)(row)

  override def row: UnsafeRow = rows.rowAt(current)
}
