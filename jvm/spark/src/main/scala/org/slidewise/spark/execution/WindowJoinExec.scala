package org.slidewise.spark.execution

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}
import org.apache.spark.sql.execution.metric.SQLMetric

import org.slidewise.spark.execution.joins.WindowJoinEvaluation
import org.slidewise.spark.execution.task.{WindowMetrics, WindowTask}
import org.slidewise.spark.plan.WindowJoinPlan

/**
 * Evaluates aggregates of right rows for each left row, and returns each left row once with its results. Both sides are
 * distributed by their keys, as for a join; without keys, one task evaluates all rows.
 *
 * Cost: one sort a side and one scan of both. Frames whose ends rise together take an amortised constant number of combines a
 * left row and a right row; others take O(log n) a left row.
 *
 * Memory: in arrays, the columns of both sides, and otherwise the right rows of one key, which spill.
 *
 * @param calls
 *   the windows of `plan`. This and the next three parameters repeat parts of `plan`, so that Spark's rules find them
 */
case class WindowJoinExec(
    plan: WindowJoinPlan,
    calls: Seq[NamedExpression],
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    leftOrder: Seq[SortOrder],
    left: SparkPlan,
    right: SparkPlan
) extends BinaryExecNode {

  @transient private lazy val isAsOf = plan.isAsOf

  override def nodeName: String = if (isAsOf) "AsOfJoin" else "WindowJoin"

  @transient override lazy val output: Seq[Attribute] = left.output ++ calls.map(_.toAttribute)
  override def producedAttributes: AttributeSet = AttributeSet(calls.map(_.toAttribute))

  override lazy val metrics: Map[String, SQLMetric] = WindowMetrics.create(sparkContext)

  override def requiredChildDistribution: Seq[Distribution] =
    if (leftKeys.isEmpty) Seq(AllTuples, AllTuples)
    else Seq(ClusteredDistribution(leftKeys), ClusteredDistribution(rightKeys))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    if (plan.sorts) Seq(Nil, Nil)
    else Seq(ascending(leftKeys) ++ leftOrder, ascending(rightKeys) ++ plan.window.sortOrder)

  private def ascending(keys: Seq[Expression]) = keys.map(SortOrder(_, Ascending))

  @transient override lazy val outputPartitioning: Partitioning = left.outputPartitioning
  @transient override lazy val outputOrdering: Seq[SortOrder] =
    if (plan.sorts) ascending(leftKeys) ++ leftOrder else left.outputOrdering

  override protected def stringArgs: Iterator[Any] =
    Iterator[Any](plan.window.methods, leftKeys, rightKeys, calls) ++
      (if (plan.window.fallback.isEmpty) None
       else Some(plan.window.fallback.mkString("falls back to ", ", ", "")))

  /** Plans of two queries are equal if their expressions are, whatever the identifiers of their columns. */
  override protected def doCanonicalize(): SparkPlan = {
    val canonical = super.doCanonicalize().asInstanceOf[WindowJoinExec]
    canonical.copy(plan =
      plan.copy(
        window = plan.window.canonical(QueryPlan.normalizeExpressions(_, right.output)),
        leftKeys = Nil,
        leftOrder = Nil,
        times = plan.times.map(QueryPlan.normalizeExpressions(_, left.output))
      )
    )
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val evaluation = new WindowJoinEvaluation(plan, left.output, right.output)
    val taskMetrics = metrics
    left.execute().zipPartitions(right.execute()) { (leftRows, rightRows) =>
      evaluation.evaluate(leftRows, rightRows, new WindowTask(TaskContext.get(), taskMetrics))
    }
  }

  override protected def withNewChildrenInternal(newLeft: SparkPlan, newRight: SparkPlan): WindowJoinExec =
    copy(left = newLeft, right = newRight)
}

object WindowJoinExec {
  def apply(plan: WindowJoinPlan, left: SparkPlan, right: SparkPlan): WindowJoinExec =
    WindowJoinExec(
      plan,
      plan.window.expressions.map(_.expression),
      plan.leftKeys,
      plan.rightKeys,
      plan.leftOrder,
      left,
      right
    )
}
