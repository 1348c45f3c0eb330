package org.slidewise.spark

import java.util.{List => JList, Map => JMap}

import org.apache.spark.sql.{Dataset, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.{Command, LeafNode, LogicalPlan}
import org.apache.spark.sql.execution.QueryExecution

import org.slidewise.core.Stable
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.explain.WindowReport
import org.slidewise.spark.expressions.{OrderCheckStrategy, SqlFunctions}
import org.slidewise.spark.planning.SettingsCheckStrategy
import org.slidewise.spark.planning.hopping.EstimateHoppingWindows
import org.slidewise.spark.planning.streams.StreamRules
import org.slidewise.spark.refresh.Refresh
import org.slidewise.spark.shims.SparkSessions

/** Switches Slidewise on in a running session, and reports on its queries. */
@Stable
object Slidewise {

  /**
   * Switches Slidewise on in `session`, if it is not on.
   *
   * @return
   *   whether it was off
   * @throws java.lang.IllegalStateException
   *   if this jar is not built for the running Spark version
   */
  def install(session: SparkSession): Boolean = {
    if (!SparkVersion.isSupported)
      throw new IllegalStateException(
        SparkVersion.mismatch(session.version, scala.util.Properties.versionNumberString)
      )
    SlidewiseSettings.register()
    EstimateHoppingWindows.addTo(session)
    val off = !isInstalled(session)
    if (off) {
      val running = SparkSessions.of(session)
      running.experimental.extraStrategies ++= Seq(
        SettingsCheckStrategy,
        OrderCheckStrategy
      ) ++ PlanningRules.strategies
      SqlFunctions.registerIn(running.sessionState.functionRegistry)
    }
    off
  }

  def isInstalled(session: SparkSession): Boolean =
    SparkSessions.of(session).sessionState.planner.strategies.contains(PlanningRules.windows)

  /**
   * For each window expression of `data`'s plan, whether Slidewise runs it, as a JSON array of objects with the fields
   * `sql`, `slidewise`, `algorithm` and `reason`.
   */
  def explainJson(data: Dataset[_]): String = SparkSessions.whileActive(data.sparkSession) {
    val execution = SparkSessions.queryOf(data)
    def alone(query: LogicalPlan) =
      SparkSessions.of(data.sparkSession).sessionState.executePlan(query)
    def ofTables(query: QueryExecution) =
      WindowReport.of(query.executedPlan) ++ WindowReport.ofSubqueries(query.normalized)
    val reports = execution.analyzed match {
      case command: Command =>
        val parts = (command.children ++ command.innerChildren).collect { case part: LogicalPlan => part }
        parts.distinct.filterNot(_.isInstanceOf[LeafNode]).flatMap(query => ofTables(alone(query)))
      case query if data.isStreaming =>
        WindowReport.ofStream(query, StreamRules.planned(data.sparkSession, query), alone(_).executedPlan)
      case _ => ofTables(execution)
    }
    reports.map(_.json).mkString("[", ",", "]")
  }

  /**
   * A [[Refresh]] for callers in Python.
   *
   * @param changes
   *   the changed rows by the name of their table
   * @param generated
   *   the expressions of columns, by the names of the table and of the column
   */
  def refreshOf(
      query: Dataset[_],
      target: String,
      keys: JList[String],
      changes: JMap[String, Dataset[_]],
      generated: JMap[String, JMap[String, String]]
  ): Refresh = {
    def scala[A](map: JMap[String, A]): Map[String, A] =
      map.keySet.toArray.toSeq.map(name => name.toString -> map.get(name)).toMap
    val columns = scala(generated).map { case (table, ofTable) => table -> scala(ofTable) }
    Refresh.of(query, target, keys.toArray.toSeq.map(_.toString), scala(changes), columns)
  }

  /** [[Refresh.changesSince]] for callers in Python. */
  def changesSince(session: SparkSession, table: String, version: Long): Dataset[_] =
    Refresh.changesSince(session, table, version)
}
