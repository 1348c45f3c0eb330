package org.slidewise.spark.execution.exchange

import org.apache.spark.sql.execution.metric.SQLMetric

import org.slidewise.spark.execution.blocks.{BlockEncoder, BlockLayout, PlainEncoder, RowsEncoder}

/**
 * How an exchange writes rows.
 *
 * @param hashed
 *   whether blocks have the sum of the hashes of their rows
 * @param rows
 *   counts the rows
 * @param bytes
 *   counts the size that they have in Spark
 * @param plain
 *   whether blocks are those of a `PlainEncoder`
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
