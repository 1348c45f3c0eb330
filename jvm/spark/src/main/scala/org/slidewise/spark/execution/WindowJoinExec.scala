package org.slidewise.spark.execution

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.vectorized.ColumnarBatch

import org.slidewise.spark.execution.exchange.BatchesIn
import org.slidewise.spark.execution.joins.WindowJoinEvaluation
import org.slidewise.spark.execution.task.WindowTask
import org.slidewise.spark.plan.WindowJoinPlan

/**
 * Evaluates aggregates of right rows for each left row, and returns each left row once with its results. Both sides are
 * distributed by their keys, as for a join; without keys, one task evaluates all rows.
 *
 * Cost: one sort for each side and one scan of both. Frames whose ends never move back take an amortised constant number of
 * combines for each left and right row. Other frames take O(log n) combines for each left row.
 *
 * Memory: the columns of both sides for evaluation in arrays, and otherwise the right rows of one key, which spill.
 *
 * @param calls
 *   the windows of `plan`. This and the next three parameters repeat parts of `plan`, so that Spark's rules find them
 * @param supportsColumnar
 *   whether the operator returns batches; see [[BatchesOut]]
 */
case class WindowJoinExec(
    plan: WindowJoinPlan,
    calls: Seq[NamedExpression],
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    leftOrder: Seq[SortOrder],
    left: SparkPlan,
    right: SparkPlan,
    override val supportsColumnar: Boolean = false
) extends WindowJoinExecBase
    with KeyedJoinExec
    with BatchesIn
    with BatchesOut {

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    if (plan.sorts) Seq(Nil, Nil)
    else Seq(ascending(leftKeys) ++ leftOrder, ascending(rightKeys) ++ plan.window.sortOrder)

  @transient override lazy val outputOrdering: Seq[SortOrder] =
    if (plan.sorts) ascending(leftKeys) ++ leftOrder else left.outputOrdering

  override protected def withPlan(plan: WindowJoinPlan): WindowJoinExec = copy(plan = plan)

  override protected def doExecute(): RDD[InternalRow] = {
    val evaluation = new WindowJoinEvaluation(plan, left.output, right.output)
    val taskMetrics = metrics
    rowsIn(left).zipPartitions(rowsIn(right)) { (leftRows, rightRows) =>
      evaluation.evaluate(leftRows, rightRows, new WindowTask(TaskContext.get(), taskMetrics))
    }
  }

  override protected def readInBatches: Seq[SparkPlan] = if (plan.sorts) Seq(left, right) else Nil

  override protected def hasBatches: Boolean =
    plan.sorts && plan.window.arrays.isDefined && plan.window.rowWise.isEmpty

  override protected def ofBatches: SparkPlan = copy(supportsColumnar = true)

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = {
    val evaluation = new WindowJoinEvaluation(plan, left.output, right.output)
    val taskMetrics = metrics
    rowsIn(left).zipPartitions(rowsIn(right)) { (leftRows, rightRows) =>
      evaluation.evaluateBatches(leftRows, rightRows, new WindowTask(TaskContext.get(), taskMetrics))
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
