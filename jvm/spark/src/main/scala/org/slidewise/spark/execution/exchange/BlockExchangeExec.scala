package org.slidewise.spark.execution.exchange

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.{ShuffleExchangeExec, ShuffleOrigin}
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * Spark's `ShuffleExchangeExec` with a hash partitioning, whose records are blocks of rows. Each row goes to the partition that
 * it has in Spark, and the rows of a task keep their order there. Spark's exchange reuse treats the operator as Spark's own
 * exchange, because readers get the same rows from either. Takes rows, or the batches of a columnar child.
 *
 * Memory: see [[BlockStages]].
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
    if (child.supportsColumnar)
      FilteredBatchesExec
        .exchanged(ShuffleExchangeExec(outputPartitioning, _, shuffleOrigin), child)
        .canonicalized
    else ShuffleExchangeExec(outputPartitioning, child, shuffleOrigin).canonicalized

  override protected def partitions: Int = numPartitions

  @transient override protected lazy val inputRDD: RDD[_] =
    if (child.supportsColumnar) ofBatches else ofRows

  @transient private lazy val ofRows: RDD[InternalRow] = child.execute()
  @transient private lazy val ofBatches: RDD[ColumnarBatch] = child.executeColumnar()

  override protected def blocks(): RDD[Product2[Int, InternalRow]] = {
    val (partition, attributes, written) =
      (outputPartitioning.partitionIdExpression, child.output, blockWrite)
    if (child.supportsColumnar)
      ofBatches.mapPartitions { batches =>
        PartitionedBlocks.ofBatches(
          batches,
          PartitionIds.of(partition, attributes),
          written,
          TaskContext.get()
        )
      }
    else
      ofRows.mapPartitions { rows =>
        val number = UnsafeProjection.create(Seq(partition), attributes)
        PartitionedBlocks.ofRows(rows, number(_).getInt(0), written, TaskContext.get())
      }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): BlockExchangeExec = copy(child = newChild)
}
