package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.execution.SparkPlan

/** An operator that tells how its rows differ when a task runs again. */
private[execution] trait RepeatableOperator { this: SparkPlan =>

  /**
   * The variations of the operator's columns, given those of its child, whose rows come in any order. None if the operator may
   * return other rows.
   */
  private[execution] def variations(child: Variations): Option[Variations]

  /** Whether the operator's rows come in the same order if those of its child do. */
  private[execution] def keepsOrder: Boolean = false
}
