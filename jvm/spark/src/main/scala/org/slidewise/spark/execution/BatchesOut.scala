package org.slidewise.spark.execution

import org.apache.spark.sql.execution.{ColumnarToRowExec, SparkPlan}

import org.slidewise.spark.execution.columns.FieldVector

/**
 * An operator that takes rows and may hand out batches. Spark expects batches below an operator that hands them out, and so
 * it does that only once Spark has put its conversions in place.
 */
trait BatchesOut extends SparkPlan {

  /** Whether the operator has results in batches. */
  protected def hasBatches: Boolean

  /** The operator that hands out batches. */
  protected def ofBatches: SparkPlan

  /** The operator, with rows that Spark's generated code makes of batches, or that other generated code reads from there. */
  final def inBatches: SparkPlan = {
    val isRead = conf.wholeStageEnabled && output.size <= conf.wholeStageMaxNumFields &&
      output.forall(a => FieldVector.holds(a.dataType))
    if (!supportsColumnar && isRead && hasBatches) ColumnarToRowExec(ofBatches) else this
  }
}
