package org.slidewise.spark.shims

import org.apache.spark.shuffle.checksum.RowBasedChecksum
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeRow, XXH64}
import org.apache.spark.sql.internal.SQLConf

/**
 * The checksum of a map task's rows for one partition, in whatever order and whatever blocks they are written: Spark tells by it
 * whether a task that ran again has written other rows.
 *
 * @param rowsOf
 *   the rows of a block
 */
final class BlockChecksum(rowsOf: InternalRow => Iterator[InternalRow]) extends RowBasedChecksum {

  override def update(key: Any, block: Any): Unit = {
    val rows = rowsOf(block.asInstanceOf[InternalRow])
    while (rows.hasNext) super.update(key, rows.next())
  }

  override protected def calculateRowChecksum(key: Any, value: Any): Long = {
    val row = value.asInstanceOf[UnsafeRow]
    XXH64.hashUnsafeBytes(row.getBaseObject, row.getBaseOffset, row.getSizeInBytes, BlockChecksum.Seed)
  }
}

object BlockChecksum {
  private val Seed = 42L

  /** One for each partition; none if the settings ask for none. Without them, Spark could not tell which tasks to run again. */
  def of(
      partitions: Int,
      rowsOf: InternalRow => Iterator[InternalRow],
      conf: SQLConf
  ): Array[RowBasedChecksum] =
    if (conf.shuffleOrderIndependentChecksumEnabled || conf.shuffleChecksumMismatchFullRetryEnabled)
      Array.fill(partitions)(new BlockChecksum(rowsOf))
    else Array.empty
}
