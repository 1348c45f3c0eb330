package org.slidewise.spark.planning

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.window.WindowExecBase
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.SlidingWindowExec
import org.slidewise.spark.planning.streams.{StreamInput, StreamPlan}

/**
 * What became of one window expression.
 *
 * @param algorithm
 *   if Slidewise runs it
 * @param reason
 *   if Spark does: why
 */
final case class WindowReport(sql: String, algorithm: Option[String], reason: Option[String]) {

  /** One JSON object in one line, with the fields `sql`, `slidewise`, `algorithm` and `reason`. */
  def json: String = {
    val node = WindowReport.mapper.createObjectNode()
    node.put("sql", sql)
    node.put("slidewise", algorithm.isDefined)
    node.put("algorithm", algorithm.orNull)
    node.put("reason", reason.orNull)
    node.toString
  }
}

object WindowReport extends AdaptiveSparkPlanHelper {
  private val mapper = new ObjectMapper

  /** A report for each window expression of the plan, its subqueries and the cached plans that it reads. */
  def of(plan: SparkPlan): Seq[WindowReport] =
    collectWithSubqueries(plan) {
      case window: WindowExecBase        => window.windowExpression.map(report(window, _))
      case cached: InMemoryTableScanExec => of(cached.relation.cachedPlan)
    }.flatten

  /** The same for a plan over a stream, which Spark plans anew for each batch. */
  def ofStream(plan: LogicalPlan): Seq[WindowReport] = plan.collect { case window: Window =>
    val definitions = WindowSql.definitions(window)
    window.windowExpressions.map(expression =>
      reportStream(expression, WindowSql(expression, definitions), StreamInput.isBelow(window))
    )
  }.flatten

  private def reportStream(expression: NamedExpression, text: String, runs: Boolean): WindowReport = {
    val conf = SQLConf.get
    StreamPlan.of(Seq(expression), SlidewiseSettings.mergeApproximate(conf)) match {
      case Right(plan) if runs => WindowReport(text, Some(plan.frames.head.algorithm.toString), None)
      case Left(reason)        => WindowReport(text, None, Some(reason))
      case _                   =>
        val why =
          if (SlidewiseSettings.enabled(conf)) "the session was started without Slidewise's extension"
          else s"${SlidewiseSettings.Enabled} is false"
        WindowReport(text, None, Some(s"$why, and Spark has no windows over streams"))
    }
  }

  private def report(window: WindowExecBase, expression: NamedExpression): WindowReport = {
    val conf = window.conf
    val text = WindowSql(expression, WindowSql.definitions(window))
    val mergeApproximate = window match {
      case sliding: SlidingWindowExec => sliding.options.mergeApproximate
      case _                          => SlidewiseSettings.mergeApproximate(conf)
    }
    (window, WindowDecision.of(expression, mergeApproximate)) match {
      case (sliding: SlidingWindowExec, run: WindowDecision.Run) =>
        WindowReport(text, Some(sliding.algorithmOf(run.algorithm)), None)
      case (_, WindowDecision.Leave(reason)) =>
        WindowReport(text, None, Some(reason))
      case _ =>
        val reason =
          if (SlidewiseSettings.enabled(conf)) "Slidewise was not installed when the query was planned"
          else s"${SlidewiseSettings.Enabled} is false"
        WindowReport(text, None, Some(reason))
    }
  }
}
