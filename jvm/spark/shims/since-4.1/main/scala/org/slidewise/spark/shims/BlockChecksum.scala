package org.slidewise.spark.shims

import org.apache.spark.shuffle.checksum.RowBasedChecksum
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.internal.SQLConf

/**
 * The checksum of a map task's rows for one partition, in whatever order and whatever blocks they are written: Spark tells by it
 * whether a task that ran again has written other rows.
 */
final class BlockChecksum(sums: BlockSums) extends RowBasedChecksum {
  private[this] var sum = 0L

  override def update(key: Any, block: Any): Unit = sum += sums.sumOf(block.asInstanceOf[UnsafeRow])

  override def getValue: Long = sum

  override protected def calculateRowChecksum(key: Any, value: Any): Long =
    throw new UnsupportedOperationException("blocks have the sum of the hashes of their rows")
}

object BlockChecksum {

  /** Whether the settings ask for checksums. Without them, Spark could not tell which tasks to run again. */
  def isWanted(conf: SQLConf): Boolean =
    conf.shuffleOrderIndependentChecksumEnabled || conf.shuffleChecksumMismatchFullRetryEnabled

  /** One for each partition; none if the settings ask for none. */
  def of(partitions: Int, sums: BlockSums, conf: SQLConf): Array[RowBasedChecksum] =
    if (isWanted(conf)) Array.fill(partitions)(new BlockChecksum(sums)) else Array.empty
}
