package org.slidewise.spark.planning.joins

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical._

import org.slidewise.spark.shims.SparkSessions

/** The rows that users have cached. A rule that runs before Spark looks for them must leave their plans as they were then. */
private[joins] object CachedRows {
  private val lookingUp = ThreadLocal.withInitial[java.lang.Boolean](() => false)

  /** Whether Spark normalizes a plan to look it up, whose parts have been rewritten already. */
  def isLookingUp: Boolean = lookingUp.get

  /**
   * The rewritten aggregate, unless the aggregate or the rows of its join are cached. Rows that were cached as rewritten are found
   * as rewritten.
   */
  def kept(aggregate: Aggregate)(rewritten: => Either[String, LogicalPlan]): Either[String, LogicalPlan] =
    SparkSession.getActiveSession.filterNot(SparkSessions.of(_).sharedState.cacheManager.isEmpty) match {
      case None                                          => rewritten
      case Some(session) if isCached(session, aggregate) => Left("the rows are cached")
      case Some(session)                                 =>
        rewritten.flatMap { window =>
          if (isJoinCached(session, aggregate.child) && !isCached(session, window))
            Left("the joined rows are cached")
          else Right(window)
        }
    }

  private def isJoinCached(session: SparkSession, plan: LogicalPlan): Boolean =
    isCached(session, plan) || (plan match {
      case one: UnaryNode => isJoinCached(session, one.child)
      case _              => false
    })

  private def isCached(session: SparkSession, plan: LogicalPlan): Boolean = {
    lookingUp.set(true)
    try SparkSessions.isCached(session, plan)
    finally lookingUp.set(false)
  }
}
