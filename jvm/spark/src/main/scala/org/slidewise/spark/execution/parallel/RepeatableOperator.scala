package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.execution.SparkPlan

/** An operator that tells how its rows differ when a task runs again. */
private[execution] trait RepeatableOperator { this: SparkPlan =>

  /** How its columns may differ, given those of its child, whose rows come in any order; none if its rows may be others. */
  private[execution] def variations(child: Variations): Option[Variations]

  /** Whether its rows come in the same order if those of its child do. */
  private[execution] def keepsOrder: Boolean = false
}
