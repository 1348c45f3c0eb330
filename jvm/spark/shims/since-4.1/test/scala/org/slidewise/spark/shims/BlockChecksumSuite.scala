package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.types.{DataType, LongType}

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.exchange.BlockExchangeExec

/** Spark's checksums of a shuffle whose records are blocks of rows. */
class BlockChecksumSuite extends SparkSuite with AdaptiveSparkPlanHelper {

  /** A block is a row with its sum here. */
  private object Numbers extends BlockSums {
    override def sumOf(block: UnsafeRow): Long = block.getLong(0)
  }

  private val project = UnsafeProjection.create(Array[DataType](LongType))

  private def checksum(blocks: Long*): Long = {
    val checksum = new BlockChecksum(Numbers)
    blocks.foreach(sum => checksum.update(0, project(InternalRow(sum))))
    checksum.getValue
  }

  test("a checksum is that of all blocks, in any order") {
    val blocks = Seq(1L, Long.MaxValue, -3L)
    assertEquals(checksum(blocks.reverse: _*), checksum(blocks: _*))
    assertEquals(checksum(blocks.sum), checksum(blocks: _*))
    assertEquals(Seq(blocks, blocks.tail, blocks :+ 1L, Nil).map(checksum(_: _*)).distinct.size, 4)
  }

  test(
    "a shuffle of blocks has a checksum for each partition if a setting needs it, as a shuffle of Spark's"
  ) {
    def checksums: Int = {
      val windows =
        spark.sql("SELECT sum(id) OVER (PARTITION BY id % 7 ORDER BY id) FROM range(0, 1000, 1, 3)")
      windows.collect()
      collect(windows.queryExecution.executedPlan) { case exchange: BlockExchangeExec =>
        exchange.shuffleDependency.rowBasedChecksums.length
      }.head
    }
    val settings =
      Seq("enabled", "enableFullRetryOnMismatch").map("spark.sql.shuffle.orderIndependentChecksum." + _)
    for (first <- Seq(true, false); second <- Seq(true, false)) {
      val expected = if (first || second) spark.conf.get("spark.sql.shuffle.partitions").toInt else 0
      settings.zip(Seq(first, second)).foreach { case (setting, on) => spark.conf.set(setting, on) }
      try assertEquals(checksums, expected)
      finally settings.foreach(spark.conf.unset)
    }
  }
}
