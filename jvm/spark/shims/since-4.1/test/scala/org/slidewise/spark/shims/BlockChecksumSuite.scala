package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.types.{DataType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.exchange.BlockExchangeExec

/** Spark's checksums of a shuffle whose records are blocks of rows. */
class BlockChecksumSuite extends SparkSuite with AdaptiveSparkPlanHelper {

  private val project = UnsafeProjection.create(Array[DataType](LongType, StringType))

  private def row(number: Long): UnsafeRow =
    project(InternalRow(number, UTF8String.fromString("x" * (number % 20).toInt))).copy()

  /** The checksum of rows that come in blocks; a block is a row of numbers here. */
  private def checksum(blocks: Seq[Long]*): Long = {
    val sum = new BlockChecksum(block => (0 until block.numFields).iterator.map(i => row(block.getLong(i))))
    blocks.foreach(block => sum.update(0, InternalRow.fromSeq(block)))
    sum.getValue
  }

  test("the order of rows and their blocks do not matter") {
    val numbers = 0L until 100L
    val expected = checksum(numbers)
    assertEquals(checksum(numbers.reverse), expected)
    assertEquals(checksum(numbers.grouped(7).toSeq.reverse: _*), expected)
    assertEquals(checksum(Nil, numbers, Nil), expected)
  }

  test("a row more, less, twice or of another value matters") {
    val numbers = 0L until 100L
    val others = Seq(numbers :+ 100L, numbers.tail, numbers :+ 0L, 1000L +: numbers.tail, Nil)
    val all = (numbers +: others).map(checksum(_))
    assertEquals(all.distinct.size, all.size)
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
