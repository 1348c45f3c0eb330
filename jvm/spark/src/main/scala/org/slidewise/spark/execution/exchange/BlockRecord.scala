package org.slidewise.spark.execution.exchange

import java.util.Arrays

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.util.MutablePair

/**
 * Makes the records of blocks for Spark's shuffle writers. Reuses the record object, or returns copies if the shuffle may keep
 * records.
 *
 * @param partitions
 *   the number of partitions of the shuffle
 */
final private[execution] class BlockRecord(partitions: Int) {
  private[this] val copies = BlockRecord.mayBeKept
  private[this] val block = new UnsafeRow(0)
  // Boxed once for each partition, and not for each block.
  private[this] val boxed = Array.tabulate[Any](partitions)(identity)
  private[this] val pair = new MutablePair[Any, InternalRow]()

  /** The block in the first `size` bytes of an array, for a partition. */
  def of(partition: Int, bytes: Array[Byte], size: Int): Product2[Int, InternalRow] =
    if (copies) {
      val copy = new UnsafeRow(0)
      copy.pointTo(Arrays.copyOf(bytes, size), size)
      new MutablePair[Any, InternalRow](boxed(partition), copy).asInstanceOf[Product2[Int, InternalRow]]
    } else {
      block.pointTo(bytes, size)
      pair.update(boxed(partition), block).asInstanceOf[Product2[Int, InternalRow]]
    }
}

private object BlockRecord {
  private val SerializeAtOnce =
    Set("sort", "tungsten-sort", "org.apache.spark.shuffle.sort.SortShuffleManager")

  /**
   * Whether the shuffle may still hold a record when it asks for the next one. Like Spark, assumes that an unknown shuffle
   * manager may.
   */
  private def mayBeKept: Boolean =
    !Option(SparkEnv.get).exists(env => SerializeAtOnce(env.conf.get("spark.shuffle.manager", "sort")))
}
