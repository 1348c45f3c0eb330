package org.slidewise.spark.execution

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Final}
import org.apache.spark.sql.catalyst.plans.physical.{
  AllTuples,
  ClusteredDistribution,
  Distribution,
  Partitioning
}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.SQLMetric

import org.slidewise.spark.execution.hopping.{HoppingMetrics, HoppingWindowEvaluation, WindowSelection}
import org.slidewise.spark.plan.{HoppingFunction, HoppingOutput, HoppingWindowPlan}

/**
 * Merges the partial aggregates of panes, by key, into the aggregates of hopping windows. Returns one row for each key and window
 * with at least one pane.
 *
 * Cost: an amortised constant number of combines for each window, for any number of panes. Functions evaluated by recalculation
 * merge all panes of each window.
 *
 * Memory: the panes of one window of one key, and up to 1,024 windows' worth of older panes; the log spills to disk. The cached
 * partial aggregates come on top.
 *
 * @param functions
 *   the aggregates of `plan`, as `slidewise.explain` reports them
 * @param keys
 *   the grouping columns of `plan`. This and the next three parameters repeat parts of `plan`, so that Spark's rules find them
 */
case class HoppingWindowExec(
    plan: HoppingWindowPlan,
    functions: Seq[HoppingFunction],
    keys: Seq[Attribute],
    aggregateExpressions: Seq[AggregateExpression],
    condition: Option[Expression],
    resultExpressions: Seq[NamedExpression],
    child: SparkPlan
) extends UnaryExecNode {

  override def output: Seq[Attribute] = resultExpressions.map(_.toAttribute)

  /**
   * The child's partitioning, in terms of the result expressions. Cached, because the operators of a chain read it repeatedly.
   */
  @transient override lazy val outputPartitioning: Partitioning =
    ProjectExec(resultExpressions, child).outputPartitioning

  /**
   * No ordering, as in Spark's hash aggregation, although the rows are sorted by key. Spark's `foreachBatch` keeps the expression
   * identifiers of a plan's ordering. The optimizer may have replaced these identifiers, and `persist` then fails.
   */
  override def outputOrdering: Seq[SortOrder] = Nil

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(if (keys.isEmpty) AllTuples else ClusteredDistribution(keys))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq((keys :+ plan.pane).map(SortOrder(_, Ascending)))

  override lazy val allAttributes: AttributeSeq = child.output ++ (plan.window +: plan.answers)
  override def producedAttributes: AttributeSet = AttributeSet(plan.window +: plan.answers)

  override lazy val metrics: Map[String, SQLMetric] = HoppingMetrics.create(sparkContext)

  override protected def stringArgs: Iterator[Any] =
    Iterator(plan.methods, keys, plan.windows, aggregateExpressions) ++ condition ++ Iterator(output)

  /** Spark canonicalizes the expressions of the operator. The expressions inside `plan`, and the reports, are dropped. */
  override protected def doCanonicalize(): SparkPlan =
    super.doCanonicalize().asInstanceOf[HoppingWindowExec].copy(plan = plan.canonical, functions = Nil)

  override protected def doExecute(): RDD[InternalRow] = {
    val (planned, selection) =
      (plan.inTasks(HoppingOutput(condition, resultExpressions)), WindowSelection.of(child))
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
      // Partial aggregation has applied the filters.
      plan.aggregates.map(_.copy(mode = Final, filter = None)),
      plan.output.condition,
      plan.output.results,
      child
    )
}
