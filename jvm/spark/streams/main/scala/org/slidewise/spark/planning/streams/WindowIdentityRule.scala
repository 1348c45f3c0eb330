package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStream

import org.slidewise.spark.plan.StreamInput

/** Records the identities of the windows of a streaming query when the query starts. */
object WindowIdentityRule extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case write: WriteToStream if write.inputQuery.exists(isUnidentified) =>
      val ordered = new StreamIdentities(write.inputQuery).ordered
      write.copy(inputQuery = new StreamIdentities(ordered).inWindows)
    case _ => plan
  }

  private def isUnidentified(node: LogicalPlan) = node match {
    case input: StreamInput => input.identity.isEmpty
    case _                  => false
  }
}
