package org.slidewise.spark.execution.exchange

import org.apache.spark.sql.execution.SparkPlan

/** An operator that reads batches where its first child has them, and its rows otherwise. */
private[spark] trait BatchesIn extends SparkPlan {

  /** The operator over batches, which Spark would make rows of only for this operator. */
  final def overBatches: SparkPlan =
    FilteredBatchesExec
      .below(children.head)
      .fold[SparkPlan](this)(batches => withNewChildren(batches +: children.tail))
}
