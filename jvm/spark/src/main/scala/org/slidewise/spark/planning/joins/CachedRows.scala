package org.slidewise.spark.planning.joins

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical._

import org.slidewise.spark.shims.SparkSessions

/** The rows that users have cached. A rule that runs before Spark looks for them must leave their plans whole. */
private[joins] object CachedRows {

  /** Whether the rows of the plan, or of an operator on the path from it down to `end`, are cached. */
  def isOnPath(plan: LogicalPlan)(end: LogicalPlan => Boolean): Boolean =
    SparkSession.getActiveSession
      .filterNot(session => SparkSessions.of(session).sharedState.cacheManager.isEmpty)
      .exists(isOnPath(_, plan, end))

  private def isOnPath(session: SparkSession, plan: LogicalPlan, end: LogicalPlan => Boolean): Boolean =
    SparkSessions.isCached(session, plan) || !end(plan) && (plan match {
      case one: UnaryNode => isOnPath(session, one.child, end)
      case _              => false
    })
}
