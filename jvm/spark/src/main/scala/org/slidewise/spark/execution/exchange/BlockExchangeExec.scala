package org.slidewise.spark.execution.exchange

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.{ShuffleExchangeExec, ShuffleOrigin}

/**
 * Spark's `ShuffleExchangeExec` with a hash partitioning, whose records are blocks of rows. Each row goes to the partition that it
 * has in Spark, and the rows of a task keep their order there. To Spark's reuse of exchanges, it is Spark's own: each reader gets
 * the same rows from either.
 *
 * Memory: see [[PartitionedBlocks]].
 */
case class BlockExchangeExec(
    override val outputPartitioning: HashPartitioning,
    child: SparkPlan,
    override val shuffleOrigin: ShuffleOrigin
) extends RowBlocksExchange {

  override def nodeName: String = "BlockExchange"
  override def numPartitions: Int = outputPartitioning.numPartitions
  override def stringArgs: Iterator[Any] = Iterator(outputPartitioning, shuffleOrigin, s"[plan_id=$id]")

  override protected def doCanonicalize(): SparkPlan =
    ShuffleExchangeExec(outputPartitioning, child, shuffleOrigin).canonicalized

  override protected def partitions: Int = numPartitions

  override protected def blocks(input: RDD[InternalRow]): RDD[Product2[Int, InternalRow]] = {
    val (partition, attributes, count) = (outputPartitioning.partitionIdExpression, child.output, partitions)
    val written = longMetric(BlockMetrics.Rows)
    input.mapPartitions { rows =>
      val number = UnsafeProjection.create(Seq(partition), attributes)
      PartitionedBlocks(rows, number(_).getInt(0), count, TaskContext.get(), written)
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): BlockExchangeExec = copy(child = newChild)
}
