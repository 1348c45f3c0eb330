package org.slidewise.spark.shims

import org.apache.spark.sql.{Dataset, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.QueryExecution

object SparkSessions {
  type Session = SparkSession

  def of(session: SparkSession): Session = session
  def queryOf(data: Dataset[_]): QueryExecution = data.queryExecution

  /** Runs `body` while `session` is the active one, whose settings Spark's expressions and rules read. */
  def whileActive[A](session: SparkSession)(body: => A): A = {
    val before = SparkSession.getActiveSession
    SparkSession.setActiveSession(of(session))
    try body
    finally before.fold(SparkSession.clearActiveSession())(SparkSession.setActiveSession(_))
  }

  /** Whether a user has cached the rows of a normalized plan. */
  def isCached(session: SparkSession, plan: LogicalPlan): Boolean =
    session.sharedState.cacheManager.lookupCachedData(plan).isDefined
}
