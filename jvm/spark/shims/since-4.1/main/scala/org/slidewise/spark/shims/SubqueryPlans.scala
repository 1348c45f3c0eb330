package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{QueryExecution, SparkPlan}
import org.apache.spark.sql.execution.adaptive.AdaptiveExecutionContext

/** Plans rows that an operator reads apart from its children, as Spark plans a subquery. */
private[spark] object SubqueryPlans {

  /** The plan of `rows`, ready to run, in the session of `operator`. */
  def of(operator: SparkPlan, rows: LogicalPlan): SparkPlan = {
    val session = operator.session
    val context = AdaptiveExecutionContext(session, new QueryExecution(session, rows))
    QueryExecution.prepareExecutedPlan(rows, context)
  }
}
