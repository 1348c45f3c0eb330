package org.slidewise.spark.execution

import org.apache.spark.sql.execution.{ColumnarToRowExec, SparkPlan}

import org.slidewise.spark.execution.columns.FieldVector

/**
 * An operator that reads rows and may return columnar batches. Spark expects columnar input below a columnar operator. The
 * operator therefore becomes columnar only after Spark has inserted its conversions between rows and batches.
 */
trait BatchesOut extends SparkPlan {

  /** Whether the operator can return its results in batches. */
  protected def hasBatches: Boolean

  /** A copy of the operator that returns batches. */
  protected def ofBatches: SparkPlan

  /**
   * Returns a `ColumnarToRowExec` over the columnar operator if Spark's generated code can read its batches. Otherwise returns
   * this operator.
   */
  final def inBatches: SparkPlan = {
    val isRead = conf.wholeStageEnabled && output.size <= conf.wholeStageMaxNumFields &&
      output.forall(a => FieldVector.holds(a.dataType))
    if (!supportsColumnar && isRead && hasBatches) ColumnarToRowExec(ofBatches) else this
  }
}
