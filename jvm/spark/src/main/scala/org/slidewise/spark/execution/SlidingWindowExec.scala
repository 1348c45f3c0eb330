package org.slidewise.spark.execution

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, NamedExpression, SortOrder}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.window.{WindowExec, WindowExecBase}

import org.slidewise.spark.execution.task.{WindowMetrics, WindowTask}
import org.slidewise.spark.plan.{SlidingWindowPlan, SortPlacement}

/**
 * Evaluates ranks, offsets and aggregates over any frames: each input row with the results of its window functions. Same
 * required distribution as `WindowExec`; same required ordering where Spark sorts, and none where the operator sorts.
 *
 * @param windowExpression
 *   the window expressions of `plan`, where Spark's rules look for them
 */
case class SlidingWindowExec(
    plan: SlidingWindowPlan,
    windowExpression: Seq[NamedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    child: SparkPlan
) extends WindowExecBase {

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    if (plan.sortPlacement == SortPlacement.InOperator) Seq(Nil) else super.requiredChildOrdering

  override def outputOrdering: Seq[SortOrder] =
    if (sorts) requiredOrder ++ plan.sortOrder.drop(orderSpec.size) else super.outputOrdering

  private def requiredOrder: Seq[SortOrder] = super.requiredChildOrdering.head

  private def sorts: Boolean =
    plan.sortPlacement == SortPlacement.InOperator &&
      !SortOrder.orderingSatisfies(child.outputOrdering, requiredOrder)

  /**
   * Whether the rows are evaluated as in Spark's operator: they come in order, and it is as fast as any then. Known once the
   * children are planned.
   */
  def evaluatesAsSpark: Boolean = !sorts && plan.constantInSpark

  override lazy val metrics: Map[String, SQLMetric] = WindowMetrics.create(sparkContext)

  override protected def stringArgs: Iterator[Any] =
    Iterator[Any](plan.methods, windowExpression, partitionSpec, orderSpec) ++
      (if (evaluatesAsSpark) Seq(s"as Spark: ${SlidingWindowExec.InOrder}")
       else
         (if (sorts) Some("sorts") else None) ++
           (if (plan.fallback.nonEmpty) Some(plan.fallback.mkString("falls back to ", ", ", "")) else None))

  /** Plans of two queries are equal if their expressions are, whatever the identifiers of their columns. */
  override protected def doCanonicalize(): SparkPlan = {
    val canonical = super.doCanonicalize().asInstanceOf[SlidingWindowExec]
    val sortOrder = plan.sortOrder.map(QueryPlan.normalizeExpressions(_, allAttributes))
    canonical.copy(plan = plan.canonical.copy(sortOrder = sortOrder))
  }

  override protected def doExecute(): RDD[InternalRow] =
    if (evaluatesAsSpark) evaluateAsSpark() else evaluate()

  private def evaluateAsSpark(): RDD[InternalRow] = {
    val counted = longMetric(WindowMetrics.Rows)
    WindowExec(windowExpression, partitionSpec, orderSpec, child).execute().mapPartitions { rows =>
      rows.map { row =>
        counted += 1
        row
      }
    }
  }

  private def evaluate(): RDD[InternalRow] = {
    val evaluation = WindowEvaluation.of(plan, child.output, sorts)
    val taskMetrics = metrics
    child.execute().mapPartitions { rows =>
      if (rows.isEmpty) Iterator.empty
      else evaluation.evaluate(rows, new WindowTask(TaskContext.get(), taskMetrics))
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): SlidingWindowExec = copy(child = newChild)
}

object SlidingWindowExec {

  /** Why an operator evaluates as Spark's. */
  val InOrder = "the rows come in order, and Spark needs constant time for each"

  def apply(plan: SlidingWindowPlan, child: SparkPlan): SlidingWindowExec =
    SlidingWindowExec(plan, plan.expressions.map(_.expression), plan.partitionSpec, plan.orderSpec, child)
}
