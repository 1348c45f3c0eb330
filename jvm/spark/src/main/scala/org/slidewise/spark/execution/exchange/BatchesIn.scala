package org.slidewise.spark.execution.exchange

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.SparkPlan

import org.slidewise.spark.execution.blocks.{BatchRows, BlockLayout}

/** An operator that reads the batches of columnar children, and the rows of other children. */
private[spark] trait BatchesIn extends SparkPlan {

  /** The children whose batches are read. By default, the first child. */
  protected def readInBatches: Seq[SparkPlan] = children.take(1)

  /** This operator over the batches of its children, where Spark would convert the batches to rows only for this operator. */
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
