package org.slidewise.spark.execution.exchange

import org.apache.spark.sql.execution.metric.SQLMetric

import org.slidewise.spark.execution.blocks.{BlockEncoder, BlockLayout, PlainEncoder, RowsEncoder}

/**
 * How an exchange writes rows.
 *
 * @param hashed
 *   whether blocks hold the sum of the hashes of their rows
 * @param rows
 *   counts the rows
 * @param bytes
 *   counts the size of the rows as `UnsafeRow`s
 * @param plain
 *   whether a `PlainEncoder` encodes the blocks
 */
final private[execution] case class BlockWrite(
    layout: BlockLayout,
    partitions: Int,
    hashed: Boolean,
    rows: SQLMetric,
    bytes: SQLMetric,
    plain: Boolean = false
) {

  private[exchange] def newEncoder(): RowsEncoder =
    if (plain) new PlainEncoder(layout) else new BlockEncoder(layout, hashed)

  private[exchange] def count(written: Long, size: Long): Unit = {
    rows += written
    bytes += size
  }
}
