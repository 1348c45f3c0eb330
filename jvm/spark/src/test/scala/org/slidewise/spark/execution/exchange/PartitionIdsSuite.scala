package org.slidewise.spark.execution.exchange

import org.apache.spark.sql.catalyst.expressions.{
  Add,
  AttributeReference,
  Expression,
  Literal,
  UnsafeProjection
}
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.execution.{ColumnarToRowExec, SparkPlan}
import org.apache.spark.sql.types._

import org.slidewise.spark.SparkSuite
import org.slidewise.spark.execution.blocks.RandomTables

class PartitionIdsSuite extends SparkSuite {

  /** How many rows of the batches of a table are in another partition than in Spark. */
  private def wrong(path: String, key: SparkPlan => Seq[Expression]): Long = {
    val plan = spark.read.parquet(path).queryExecution.executedPlan
    val scan = plan.collectFirst { case ColumnarToRowExec(scan) => scan }.get
    val (partitioning, input) = (HashPartitioning(key(scan), 7).partitionIdExpression, scan.output)
    scan
      .executeColumnar()
      .mapPartitions { batches =>
        val (ids, expected) =
          (PartitionIds.of(partitioning, input), UnsafeProjection.create(Seq(partitioning), input))
        val found = new Array[Int](5000)
        batches.map { batch =>
          val from = batch.numRows / 3
          ids.read(batch, from, batch.numRows, found)
          (from until batch.numRows)
            .count(row => found(row - from) != expected(batch.getRow(row)).getInt(0))
            .toLong
        }
      }
      .collect()
      .sum
  }

  test("the rows of batches have the partitions that they have in Spark, by columns of each type") {
    val path = RandomTables.parquet(spark, rows = 3000)
    assertEquals(wrong(path, _.output), 0L)
    for (i <- RandomTables.schema.indices if RandomTables.isKey(RandomTables.schema(i).dataType))
      assertEquals(wrong(path, plan => Seq(plan.output(i))), 0L, RandomTables.schema(i))
    assertEquals(
      wrong(path, plan => Seq(Add(column(plan, LongType), Literal(1L)), column(plan, StringType))),
      0L
    )
  }

  private def column(plan: SparkPlan, dataType: DataType): AttributeReference =
    plan.output.find(_.dataType == dataType).get.asInstanceOf[AttributeReference]
}
