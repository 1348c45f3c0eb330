package org.slidewise.spark.execution.parallel

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan}
import org.apache.spark.sql.vectorized.ColumnarBatch

import org.slidewise.spark.execution.{BatchesOut, SlidingWindowExecBase}
import org.slidewise.spark.execution.task.WindowMetrics
import org.slidewise.spark.plan.SlidingWindowPlan

/**
 * Evaluates a window in several tasks that share the rows of its partitions. The child is a [[RunsExchangeExec]], or reads one.
 *
 * @param supportsColumnar
 *   whether the operator returns batches; see [[BatchesOut]]
 */
case class ParallelWindowExec(
    plan: SlidingWindowPlan,
    parallel: ParallelPlan,
    windowExpression: Seq[NamedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    child: SparkPlan,
    override val supportsColumnar: Boolean = false
) extends SlidingWindowExecBase
    with BatchesOut {

  override def nodeName: String = "SlidingWindow"

  @transient private lazy val runs: RunsExchangeExec = RunsExchangeExec.in(child)

  @transient override lazy val outputPartitioning: Partitioning =
    OrderedPartitioning(outputOrdering, parallel.maxTasks)

  // Declared before it is known whether the rows come sorted.
  @transient override lazy val outputOrdering: Seq[SortOrder] = sortedOrder

  override def tasksNote: Option[String] = Some(parallel.note)

  override protected def stringArgs: Iterator[Any] = arguments(Seq(parallel.toString))

  override protected def doCanonicalize(): SparkPlan = {
    val canonical = super.doCanonicalize().asInstanceOf[ParallelWindowExec]
    canonical.copy(plan = plan.canonical(QueryPlan.normalizeExpressions(_, allAttributes)))
  }

  override protected def doExecute(): RDD[InternalRow] =
    counted(ofRuns(new RowEvaluation(plan, child.output, metrics), evaluate(_, _)))

  override protected def hasBatches: Boolean =
    !plan.isWholeTable && plan.arrays.isDefined && plan.rowWise.isEmpty

  override protected def ofBatches: SparkPlan = copy(supportsColumnar = true)

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] =
    counted(ofRuns(new BatchEvaluation(plan, child.output, metrics), evaluateBatches(_, _)))

  /**
   * Evaluates the rows of runs.
   *
   * @param unshared
   *   evaluates each partition of rows in one task, given whether the task must sort them
   */
  private def ofRuns[T: ClassTag](
      evaluation: RangeEvaluation[T],
      unshared: (SparkPlan, Boolean) => RDD[T]
  ): RDD[T] = {
    val limited = if (isForRdd && partitionSpec.isEmpty) parallel.copy(maxTasks = 1) else parallel
    new ParallelWindow(plan, limited, child.output, evaluation).execute(runs).getOrElse {
      val rows = unwritten
      inOnePartition(unshared(rows, sorts(rows.outputOrdering, sortedOrder)))
    }
  }

  private def counted[T](found: RDD[T]): RDD[T] = {
    WindowMetrics.setTasks(sparkContext, metrics, found.getNumPartitions)
    found
  }

  /** The rows of an exchange that does not write its only partition, with the attributes of this operator's child. */
  private def unwritten: SparkPlan =
    if (runs.output == child.output) runs.inRows
    else
      ProjectExec(
        child.output.zip(runs.output).map { case (name, value) => Alias(value, name.name)(name.exprId) },
        runs.inRows
      )

  /**
   * Returns `rows`, or one empty partition if `rows` has no partitions. An operator above that needs all rows in one partition
   * needs one also if there are no rows.
   */
  private def inOnePartition[T: ClassTag](rows: RDD[T]): RDD[T] =
    if (rows.getNumPartitions > 0) rows else sparkContext.parallelize(Seq.empty[T], numSlices = 1)

  override protected def withNewChildInternal(newChild: SparkPlan): ParallelWindowExec =
    copy(child = newChild)
}

object ParallelWindowExec {

  /** Creates the operator over an exchange that writes `rows` as runs. */
  def over(rows: SparkPlan, plan: SlidingWindowPlan, parallel: ParallelPlan): ParallelWindowExec =
    ParallelWindowExec(
      plan,
      parallel,
      plan.expressions.map(_.expression),
      plan.partitionSpec,
      plan.orderSpec,
      RunsExchangeExec.of(plan, parallel, rows)
    )
}
