package org.slidewise.spark.shims

import org.apache.spark.sql.{classic, Dataset, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.QueryExecution

/** The sessions and datasets of Spark's classic engine, which implement a common interface since 4.0. */
object SparkSessions {
  type Session = classic.SparkSession

  def of(session: SparkSession): Session = session.asInstanceOf[Session]
  def queryOf(data: Dataset[_]): QueryExecution = data.asInstanceOf[classic.Dataset[_]].queryExecution

  /** Runs `body` while `session` is the active one, whose settings Spark's expressions and rules read. */
  def whileActive[A](session: SparkSession)(body: => A): A = {
    val before = classic.SparkSession.getActiveSession
    classic.SparkSession.setActiveSession(of(session))
    try body
    finally before.fold(classic.SparkSession.clearActiveSession())(classic.SparkSession.setActiveSession(_))
  }

  /** Whether a user has cached the rows of a normalized plan. */
  def isCached(session: SparkSession, plan: LogicalPlan): Boolean =
    of(session).sharedState.cacheManager.lookupCachedData(of(session), plan).isDefined
}
