package org.slidewise.spark.explain

import java.util.{Collections, IdentityHashMap}

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, ExprId, NamedExpression}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.execution.{
  InputAdapter,
  SortExec,
  SparkPlan,
  UnaryExecNode,
  WholeStageCodegenExec
}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec
import org.apache.spark.sql.execution.window.WindowExecBase
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.{
  HoppingWindowExec,
  PythonSlidingWindowExec,
  PythonWindowJoinExec,
  SlidingWindowExec,
  SlidingWindowExecBase,
  WindowJoinExecBase,
  WindowTopRowsExec
}
import org.slidewise.spark.plan._

/**
 * The decision of planning on one window expression.
 *
 * @param algorithm
 *   the evaluation method, if Slidewise evaluates it
 * @param reason
 *   the reason why Spark's operator evaluates it, or notes on the method
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

  /**
   * The reports for the window expressions of the plan, of its subqueries and of the cached plans that it reads. Each cached plan
   * is reported once. The reports are in the query's order, and those of cached plans come last.
   */
  def of(plan: SparkPlan): Seq[WindowReport] = {
    val cachedPlans = Collections.newSetFromMap(new IdentityHashMap[SparkPlan, java.lang.Boolean])
    def reportsOf(plan: SparkPlan): Seq[WindowReport] = {
      val cached = collectWithSubqueries(plan) { case scan: InMemoryTableScanExec =>
        scan.relation.cachedPlan
      }
      inOrder(identified(plan), plan.output, collectWithSubqueries(plan) { case node => node }) ++
        cached.filter(cachedPlans.add).flatMap(reportsOf)
    }
    reportsOf(plan)
  }

  /** The reports of a plan and its subqueries, each with the identifier of the result. */
  private def identified(plan: SparkPlan): Seq[(Option[ExprId], WindowReport)] = {
    lazy val definitions = WindowSql.definitions(plan)
    collectWithSubqueries(plan) { case WindowOperator(window, expressions) =>
      reports(window, expressions, definitions)
    }.flatten ++
      collectWithSubqueries(plan)(hoppingFunctions).distinct.flatten.map(f =>
        Option(f.resultId) -> reportOf(f)
      ) ++
      collectWithSubqueries(plan) {
        case join: WindowJoinExecBase =>
          reports(join.plan.window.expressions, join.tasksNote, definitions)
        case join: PythonWindowJoinExec =>
          reports(join.plan.window.expressions, None, definitions)
      }.flatten
  }

  /**
   * The reports for a plan over a stream, which Spark plans anew for each batch.
   *
   * @param planned
   *   the plan without data, if it can be planned
   * @param ofTable
   *   plans a part of the query that reads no stream
   */
  def ofStream(
      plan: LogicalPlan,
      planned: Option[SparkPlan],
      ofTable: LogicalPlan => SparkPlan
  ): Seq[WindowReport] = {
    lazy val definitions = WindowSql.definitions(plan)
    def overTables(node: LogicalPlan): Seq[LogicalPlan] = node match {
      case window: Window if !readsStream(window) => Seq(window)
      case other                                  => (other.children ++ other.subqueries).flatMap(overTables)
    }
    val windows = plan.collect {
      case window: Window if readsStream(window) =>
        val planned =
          byId(window.getTagValue(WindowPlan.Tag).toSeq.flatMap(_.operator).flatMap(_.expressions))
        window.windowExpressions.map { expression =>
          val text = WindowSql(expression, definitions)
          val report = planned.get(expression.exprId) match {
            case Some(p) => WindowReport(text, Some(p.method.toString), p.note)
            case None => WindowReport(text, None, Some(s"$notPlanned, and Spark has no windows over streams"))
          }
          Option(expression.exprId) -> report
        }
    }.flatten
    val hopping = planned.toSeq.flatMap(collect(_)(hoppingFunctions)).distinct.flatten
    inOrder(
      windows ++ hopping.map(f => Option(f.resultId) -> reportOf(f)) ++
        overTables(plan).flatMap(window => identified(ofTable(window))),
      plan.output,
      plan.collect { case node => node } ++ planned.toSeq.flatMap(collect(_) { case node => node })
    )
  }

  // An operator that Slidewise puts below such windows hides from Spark's rules that they are over a stream.
  private def readsStream(plan: LogicalPlan): Boolean = plan.exists(_.isStreaming)

  /** The reports for subqueries and joins over a range of another table's rows that Spark evaluates. */
  def ofSubqueries(plan: LogicalPlan): Seq[WindowReport] =
    plan
      .collectWithSubqueries { case node => node.getTagValue(LeftToSpark.Tag).getOrElse(Nil) }
      .flatten
      .map(left => WindowReport(left.sql, None, Some(left.reason)))

  /** A window operator with its window expressions. */
  private object WindowOperator {
    def unapply(plan: SparkPlan): Option[(UnaryExecNode, Seq[NamedExpression])] = plan match {
      case sliding: SlidingWindowExecBase  => Some((sliding, sliding.windowExpression))
      case window: WindowExecBase          => Some((window, window.windowExpression))
      case stream: StreamingWindowOperator => Some((stream, stream.plan.expressions.map(_.expression)))
      case _                               => None
    }
  }

  private def reports(
      joined: Seq[PlannedExpression],
      tasksNote: Option[String],
      definitions: Map[ExprId, Expression]
  ): Seq[(Option[ExprId], WindowReport)] = joined.map { p =>
    val text = WindowSql.ofJoin(p.expression.children.head, definitions)
    Option(p.expression.exprId) ->
      tasksNote.foldLeft(WindowReport(text, Some(p.method.toString), p.note))(withNote)
  }

  private def byId(planned: Seq[PlannedExpression]): Map[ExprId, PlannedExpression] =
    planned.map(p => p.expression.exprId -> p).toMap

  private def reports(
      window: UnaryExecNode,
      expressions: Seq[NamedExpression],
      definitions: Map[ExprId, Expression]
  ): Seq[(Option[ExprId], WindowReport)] = {
    val (planned, inOrder) = window match {
      case sliding: SlidingWindowExecBase if sliding.evaluatesAsSpark => (Nil, sliding.plan.expressions)
      case sliding: SlidingWindowExecBase                             => (sliding.plan.expressions, Nil)
      case python: PythonSlidingWindowExec                            => (python.plan.expressions, Nil)
      case stream: StreamingWindowOperator                            => (stream.plan.expressions, Nil)
      case _                                                          => (Nil, Nil)
    }
    val left = window.logicalLink.flatMap(_.getTagValue(WindowPlan.Tag)).toSeq.flatMap(_.bySpark)
    val reasons = left.map(l => l.expression.exprId -> l.reason).toMap ++
      inOrder.map(_.expression.exprId -> SlidingWindowExec.InOrder)
    val ours = byId(planned)
    val topRows = if (readsTopRows(window.child)) Some(TopRowsNote) else None
    val tasks = window match {
      case sliding: SlidingWindowExecBase => sliding.tasksNote
      case _                              => None
    }
    expressions.map { expression =>
      val text = WindowSql(expression, definitions)
      val report = ours.get(expression.exprId) match {
        case Some(p) => WindowReport(text, Some(p.method.toString), p.note)
        case None    =>
          WindowReport(text, None, Some(reasons.getOrElse(expression.exprId, notPlanned)))
      }
      val notes = topRows ++ (if (report.algorithm.isDefined) tasks else None)
      Option(expression.exprId) -> notes.foldLeft(report)(withNote)
    }
  }

  /** The aggregates over hopping windows that an operator evaluates. Operators of the same decision give the same value. */
  private val hoppingFunctions: PartialFunction[SparkPlan, Seq[HoppingFunction]] = {
    case hopping: HoppingWindowExec             => hopping.functions
    case operator if leftTo(operator).isDefined => leftTo(operator).get.functions
  }

  /** The decision that leaves an operator to Spark: an aggregation of rows, of sketches or of functions in Python. */
  private def leftTo(operator: SparkPlan): Option[HoppingDecision] =
    operator.logicalLink.flatMap(_.getTagValue(HoppingDecision.Tag)).filter(_.reasonToLeave.isDefined)

  private def reportOf(function: HoppingFunction): WindowReport =
    WindowReport(function.sql, function.method.map(_.toString), function.note)

  private val TopRowsNote = "only the first rows of each partition are sorted: a filter limits their ranks"

  private def withNote(report: WindowReport, note: String): WindowReport =
    report.copy(reason = Some((report.reason.toSeq :+ note).mkString("; ")))

  private def readsTopRows(plan: SparkPlan): Boolean = plan match {
    case _: WindowTopRowsExec                                     => true
    case _: SortExec | _: WholeStageCodegenExec | _: InputAdapter => readsTopRows(plan.children.head)
    case _                                                        => false
  }

  private def notPlanned: String =
    if (SlidewiseSettings.enabled(SQLConf.get)) "Slidewise was not installed when the query was planned"
    else s"${SlidewiseSettings.Enabled} is false"

  /**
   * The reports in the order in which the query's columns lead to the window expressions, left to right. The other reports
   * follow.
   */
  private def inOrder(
      reports: Seq[(Option[ExprId], WindowReport)],
      output: Seq[NamedExpression],
      nodes: Seq[QueryPlan[_]]
  ): Seq[WindowReport] = {
    val definitions = nodes
      .flatMap(_.expressions.asInstanceOf[Seq[Expression]])
      .flatMap(_.collect { case alias: Alias => alias.exprId -> alias.child })
      .toMap
    val seen = scala.collection.mutable.LinkedHashSet.empty[ExprId]
    def visit(id: ExprId): Unit =
      if (seen.add(id)) definitions.get(id).foreach(_.references.foreach(a => visit(a.exprId)))
    output.foreach(column => visit(column.exprId))
    val places = seen.iterator.zipWithIndex.toMap
    reports.sortBy { case (id, _) => id.flatMap(places.get).getOrElse(Int.MaxValue) }.map(_._2)
  }
}
