package org.slidewise.spark.shims

import org.apache.spark.shuffle.checksum.RowBasedChecksum
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.internal.SQLConf

/**
 * The checksum of the rows that a map task writes for one partition, independent of their order and their division into blocks.
 * Spark compares it to find whether a task that ran again has written different rows.
 */
final class BlockChecksum(sums: BlockSums) extends RowBasedChecksum {
  private[this] var sum = 0L

  override def update(key: Any, block: Any): Unit = sum += sums.sumOf(block.asInstanceOf[UnsafeRow])

  override def getValue: Long = sum

  override protected def calculateRowChecksum(key: Any, value: Any): Long =
    throw new UnsupportedOperationException("blocks have the sum of the hashes of their rows")
}

object BlockChecksum {

  /** Whether the settings require checksums, by which Spark decides which tasks to run again. */
  def isWanted(conf: SQLConf): Boolean =
    conf.shuffleOrderIndependentChecksumEnabled || conf.shuffleChecksumMismatchFullRetryEnabled

  /** A checksum for each partition; empty if the settings do not require checksums. */
  def of(partitions: Int, sums: BlockSums, conf: SQLConf): Array[RowBasedChecksum] =
    if (isWanted(conf)) Array.fill(partitions)(new BlockChecksum(sums)) else Array.empty
}
