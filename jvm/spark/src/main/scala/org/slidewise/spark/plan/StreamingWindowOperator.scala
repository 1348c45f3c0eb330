package org.slidewise.spark.plan

import org.apache.spark.sql.execution.UnaryExecNode

/** An operator that evaluates windows over a stream. */
trait StreamingWindowOperator extends UnaryExecNode {
  def plan: SlidingWindowPlan
}
