package org.slidewise.spark.execution

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Final}
import org.apache.spark.sql.catalyst.plans.physical.{AllTuples, ClusteredDistribution, Distribution}
import org.apache.spark.sql.execution.{
  OrderPreservingUnaryExecNode,
  PartitioningPreservingUnaryExecNode,
  SparkPlan
}
import org.apache.spark.sql.execution.metric.SQLMetric

import org.slidewise.spark.execution.hopping.{HoppingMetrics, HoppingWindowEvaluation, WindowSelection}
import org.slidewise.spark.plan.{HoppingFunction, HoppingWindowPlan}

/**
 * Merges partial aggregates by key and pane to those of hopping windows: one row for each key and window with at least one input
 * row. A window costs a constant number of combines, whatever its number of panes.
 *
 * Memory: the panes of one window, in the task's memory and on disk; and their cached partial aggregates.
 *
 * @param functions
 *   the aggregates of `plan` for a person to read
 * @param keys
 *   the following are parts of `plan`, where Spark's rules look for them
 */
case class HoppingWindowExec(
    plan: HoppingWindowPlan,
    functions: Seq[HoppingFunction],
    keys: Seq[Attribute],
    aggregateExpressions: Seq[AggregateExpression],
    condition: Option[Expression],
    resultExpressions: Seq[NamedExpression],
    child: SparkPlan
) extends PartitioningPreservingUnaryExecNode
    with OrderPreservingUnaryExecNode {

  override def output: Seq[Attribute] = resultExpressions.map(_.toAttribute)
  override protected def outputExpressions: Seq[NamedExpression] = resultExpressions
  override protected def orderingExpressions: Seq[SortOrder] = keys.map(SortOrder(_, Ascending))

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(if (keys.isEmpty) AllTuples else ClusteredDistribution(keys))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq((keys :+ plan.pane).map(SortOrder(_, Ascending)))

  override lazy val allAttributes: AttributeSeq = child.output ++ (plan.window +: plan.answers)
  override def producedAttributes: AttributeSet = AttributeSet(plan.window +: plan.answers)

  override lazy val metrics: Map[String, SQLMetric] = HoppingMetrics.create(sparkContext)

  override protected def stringArgs: Iterator[Any] =
    Iterator(plan.methods, keys, plan.windows, aggregateExpressions) ++ condition ++ Iterator(output)

  /** Plans of two queries are equal if their expressions are, whatever the identifiers of their columns. */
  override protected def doCanonicalize(): SparkPlan =
    super.doCanonicalize().asInstanceOf[HoppingWindowExec].copy(plan = plan.canonical, functions = Nil)

  override protected def doExecute(): RDD[InternalRow] = {
    val (planned, selection) = (plan.inTasks(condition, resultExpressions), WindowSelection.of(child))
    val evaluation = new HoppingWindowEvaluation(planned, planned.partial ++ selection.touched, selection)
    val taskMetrics = metrics
    child.execute().mapPartitions { partials =>
      if (partials.isEmpty) Iterator.empty
      else evaluation.evaluate(partials, TaskContext.get(), taskMetrics)
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): HoppingWindowExec = copy(child = newChild)
}

object HoppingWindowExec {
  def apply(plan: HoppingWindowPlan, functions: Seq[HoppingFunction], child: SparkPlan): HoppingWindowExec =
    HoppingWindowExec(
      plan,
      functions,
      plan.keys,
      // What partial aggregation has read is not read again.
      plan.aggregates.map(_.copy(mode = Final, filter = None)),
      plan.condition,
      plan.results,
      child
    )
}
