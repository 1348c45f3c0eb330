package org.slidewise.spark.execution

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, NamedExpression, SortOrder}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.window.WindowExecBase

import org.slidewise.spark.execution.frames.WindowMetrics
import org.slidewise.spark.planning.{Algorithm, ArrayAggregate, ArrayPlan, FramePlan, WindowOptions}

/**
 * Aggregates over moving frames: for each input row, the row and the answers of its frames.
 *
 * What it asks of its child, and what it promises of its own rows, is what Spark's own window operator does.
 *
 * @param windowExpression
 *   aliases of aggregate functions over moving frames, each accepted by
 *   [[org.slidewise.spark.planning.WindowDecision]]
 */
case class SlidingWindowExec(
    windowExpression: Seq[NamedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    options: WindowOptions,
    child: SparkPlan
) extends WindowExecBase {

  @transient private lazy val plans: Seq[FramePlan] =
    FramePlan.group(windowExpression, options.mergeApproximate)

  /** How the array kernels answer, where they can answer every expression. */
  @transient private lazy val arrays: Seq[ArrayAggregate] =
    if (!options.arrays) Nil
    else {
      val found = windowExpression.map(ArrayPlan.of(_, orderSpec, conf.sessionLocalTimeZone))
      if (found.forall(_.isDefined)) found.flatten else Nil
    }

  /** Shown first in EXPLAIN. */
  def algorithms: Seq[String] =
    if (arrays.nonEmpty) Seq(Algorithm.ArrayKernels.toString) else plans.map(_.algorithm.toString).distinct

  /** How a window expression of this operator is answered, as [[algorithms]] has it. */
  def algorithmOf(decided: Algorithm): String =
    if (arrays.nonEmpty) Algorithm.ArrayKernels.toString else decided.toString

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    if (options.sort) Seq(Nil) else super.requiredChildOrdering

  override def outputOrdering: Seq[SortOrder] = if (sorts) requiredOrder else super.outputOrdering

  private def requiredOrder: Seq[SortOrder] = super.requiredChildOrdering.head
  private def sorts: Boolean =
    options.sort && !SortOrder.orderingSatisfies(child.outputOrdering, requiredOrder)

  override lazy val metrics: Map[String, SQLMetric] = WindowMetrics.create(sparkContext)

  override protected def stringArgs: Iterator[Any] =
    Iterator(algorithms, windowExpression, partitionSpec, orderSpec) ++ Option.when(sorts)("sorts")

  override protected def doExecute(): RDD[InternalRow] = {
    val evaluator = new SlidingWindowEvaluator(
      plans,
      windowExpression,
      partitionSpec,
      orderSpec,
      child.output,
      sorts,
      arrays,
      options.maxStateBytes,
      conf.sessionLocalTimeZone,
      metrics
    )
    child.execute().mapPartitions(rows => evaluator(rows))
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SlidingWindowExec = copy(child = newChild)
}
