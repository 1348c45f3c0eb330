package org.slidewise.spark.execution

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}
import org.apache.spark.sql.execution.metric.SQLMetric

import org.slidewise.spark.execution.task.WindowMetrics
import org.slidewise.spark.plan.WindowJoinPlan

/** Evaluates aggregates of right rows for each left row, and returns each left row once with its results. */
abstract class WindowJoinExecBase extends BinaryExecNode {

  def plan: WindowJoinPlan

  /** The windows of `plan`. These and the keys repeat parts of `plan`, so that Spark's rules find them. */
  def calls: Seq[NamedExpression]
  def leftKeys: Seq[Expression]
  def rightKeys: Seq[Expression]

  @transient private lazy val isAsOf = plan.isAsOf

  final override def nodeName: String = if (isAsOf) "AsOfJoin" else "WindowJoin"

  @transient final override lazy val output: Seq[Attribute] = left.output ++ calls.map(_.toAttribute)
  final override def producedAttributes: AttributeSet = AttributeSet(calls.map(_.toAttribute))

  final override lazy val metrics: Map[String, SQLMetric] = WindowMetrics.create(sparkContext)

  /** A note on the tasks that evaluate the rows, for `slidewise.explain`; none if there is one for each key. */
  def tasksNote: Option[String] = None

  /** Notes for EXPLAIN. */
  protected def notes: Seq[String] = Nil

  final override protected def stringArgs: Iterator[Any] =
    Iterator[Any](plan.window.methods, leftKeys, rightKeys, calls) ++ notes ++
      (if (plan.window.fallback.isEmpty) None
       else Some(plan.window.fallback.mkString("falls back to ", ", ", "")))

  /** Plans of two queries are equal if their expressions are, whatever the identifiers of their columns. */
  final override protected def doCanonicalize(): SparkPlan = {
    val window = plan.window.canonical(QueryPlan.normalizeExpressions(_, right.output))
    val times = plan.times.map(QueryPlan.normalizeExpressions(_, left.output))
    super
      .doCanonicalize()
      .asInstanceOf[WindowJoinExecBase]
      .withPlan(plan.copy(window = window, leftKeys = Nil, leftOrder = Nil, times = times))
  }

  protected def withPlan(plan: WindowJoinPlan): WindowJoinExecBase
}
