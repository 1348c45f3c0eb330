package org.slidewise.spark.execution.exchange

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.SparkPlan

import org.slidewise.spark.execution.blocks.{BatchRows, BlockLayout}

/** An operator that reads batches where its children have them, and their rows otherwise. */
private[spark] trait BatchesIn extends SparkPlan {

  /** The children whose batches are read; the first one. */
  protected def readInBatches: Seq[SparkPlan] = children.take(1)

  /** The operator over batches, which Spark would make rows of only for this operator. */
  final def overBatches: SparkPlan = {
    val read = readInBatches
    val below = children.map { child =>
      (if (read.exists(_ eq child)) FilteredBatchesExec.below(child) else None).getOrElse(child)
    }
    if (below.corresponds(children)(_ eq _)) this else withNewChildren(below)
  }

  /** The rows of a child, in blocks if they are read in batches. */
  final private[execution] def rowsIn(child: SparkPlan): RDD[InternalRow] =
    if (child.supportsColumnar && readInBatches.exists(_ eq child)) {
      val layout = BlockLayout.of(child.output)
      child.executeColumnar().mapPartitions(new BatchRows(_, layout))
    } else child.execute()
}
