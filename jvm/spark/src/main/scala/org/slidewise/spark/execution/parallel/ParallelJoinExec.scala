package org.slidewise.spark.execution.parallel

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.SparkPlan

import org.slidewise.spark.execution.WindowJoinExecBase
import org.slidewise.spark.execution.task.WindowMetrics
import org.slidewise.spark.plan.WindowJoinPlan

/**
 * Evaluates a window join in several tasks that share the rows of its keys. The children are [[RunsExchangeExec]]s, or read them.
 *
 * Cost: the cost of `WindowJoinExec`, and another read of the left rows, unless their order determines their reach.
 */
case class ParallelJoinExec(
    plan: WindowJoinPlan,
    parallel: ParallelPlan,
    calls: Seq[NamedExpression],
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    left: SparkPlan,
    right: SparkPlan
) extends WindowJoinExecBase {

  @transient override lazy val outputPartitioning: Partitioning = UnknownPartitioning(parallel.maxTasks)

  override def tasksNote: Option[String] = Some(parallel.note)

  override protected def notes: Seq[String] = Seq(parallel.toString)

  override protected def withPlan(plan: WindowJoinPlan): ParallelJoinExec = copy(plan = plan)

  override protected def doExecute(): RDD[InternalRow] = {
    val found = new ParallelJoin(plan, parallel, left.output, right.output, metrics)
      .execute(RunsExchangeExec.in(left), RunsExchangeExec.in(right))
      .getOrElse(sparkContext.parallelize(Seq.empty[InternalRow], numSlices = 1))
    WindowMetrics.setTasks(sparkContext, metrics, found.getNumPartitions)
    found
  }

  override protected def withNewChildrenInternal(newLeft: SparkPlan, newRight: SparkPlan): ParallelJoinExec =
    copy(left = newLeft, right = newRight)
}

object ParallelJoinExec {

  /**
   * Whether the join has consistent results if some of its tasks read rows of a side before, and others after, a task that writes
   * these rows ran again.
   *
   * @param left
   *   the determinism of a task of the left side; none if the task may write other rows when it runs again
   */
  def allows(
      plan: WindowJoinPlan,
      left: Option[OutputDeterminism],
      right: Option[OutputDeterminism]
  ): Boolean = {
    val bounds = plan.byRows.frames.flatMap(_.frame.rowBounds).map(_.value)
    left.exists(_.columns.areSame(plan.leftKeys ++ bounds ++ plan.times)) && right.exists(
      _.allows(plan.window)
    )
  }

  /** Creates the operator over exchanges that write the rows of both sides as runs. */
  def over(
      left: SparkPlan,
      right: SparkPlan,
      plan: WindowJoinPlan,
      parallel: ParallelPlan
  ): ParallelJoinExec =
    ParallelJoinExec(
      plan,
      parallel,
      plan.window.expressions.map(_.expression),
      plan.leftKeys,
      plan.rightKeys,
      RunsExchangeExec.of(ParallelJoin.leftOrder(plan), parallel, left),
      RunsExchangeExec.of(ParallelJoin.rightOrder(plan), parallel, right)
    )
}
