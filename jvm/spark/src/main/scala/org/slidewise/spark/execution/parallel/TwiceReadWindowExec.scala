package org.slidewise.spark.execution.parallel

import scala.reflect.ClassTag

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec
import org.apache.spark.sql.vectorized.ColumnarBatch

import org.slidewise.spark.execution.{BatchesOut, SlidingWindowExecBase}
import org.slidewise.spark.execution.columns.RowBatches
import org.slidewise.spark.execution.exchange.FilteredBatchesExec
import org.slidewise.spark.execution.task.{WindowMetrics, WindowTask}
import org.slidewise.spark.plan.SlidingWindowPlan
import org.slidewise.spark.shims.SubqueryPlans

/**
 * Evaluates a window whose frames are whole partitions, in no order, over a table that is read twice: jobs aggregate the
 * partitions, and each task adds the results to the rows that it reads. If there are many partitions, `once` evaluates the window
 * instead. Memory: see [[TotalsReader]] and [[ResultsByKey]].
 *
 * @param once
 *   the logical plan of the same window over rows that are read once
 * @param child
 *   a [[RowsReadTwiceExec]]
 * @param supportsColumnar
 *   whether the operator returns batches; see [[BatchesOut]]
 */
case class TwiceReadWindowExec(
    plan: SlidingWindowPlan,
    @transient once: LogicalPlan,
    windowExpression: Seq[NamedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    child: SparkPlan,
    override val supportsColumnar: Boolean = false
) extends SlidingWindowExecBase
    with BatchesOut {

  override def nodeName: String = "SlidingWindow"

  // The rows of `once` are in other partitions.
  @transient override lazy val outputPartitioning: Partitioning =
    UnknownPartitioning(child.outputPartitioning.numPartitions)

  override def tasksNote: Option[String] = Some(
    "the table is read twice, and no rows are shuffled" +
      (if (partitionSpec.isEmpty) "" else s" unless it has more than ${TotalsReader.MostKeys} keys")
  )

  override protected def stringArgs: Iterator[Any] = arguments(Seq("reads twice"))

  override protected def doCanonicalize(): SparkPlan = {
    val canonical = super.doCanonicalize().asInstanceOf[TwiceReadWindowExec]
    canonical.copy(
      plan = plan.canonical(QueryPlan.normalizeExpressions(_, allAttributes)),
      once = once.canonicalized
    )
  }

  private def read: RowsReadTwiceExec = child.asInstanceOf[RowsReadTwiceExec]

  override protected def hasBatches: Boolean = FilteredBatchesExec.below(read.right).isDefined

  override protected def ofBatches: SparkPlan =
    copy(
      child = read.copy(right = FilteredBatchesExec.below(read.right).get),
      supportsColumnar = true
    )

  override protected def doExecute(): RDD[InternalRow] = {
    val counted = longMetric(WindowMetrics.Rows)
    withResults(_.execute())(_.rows(_)) {
      readOnce.execute().map { row =>
        counted += 1
        row
      }
    }
  }

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = {
    val counted = longMetric(WindowMetrics.Rows)
    withResults(_.executeColumnar())(_.batches(_)) {
      batchesOf(readOnce).map { batch =>
        counted += batch.numRows
        batch
      }
    }
  }

  private def readOnce: SparkPlan = SubqueryPlans.of(this, once)

  private def batchesOf(plan: SparkPlan): RDD[ColumnarBatch] = plan match {
    case adaptive: AdaptiveSparkPlanExec => adaptive.copy(supportsColumnar = true).executeColumnar()
    case WholeStageCodegenExec(ColumnarToRowExec(InputAdapter(batches))) => batches.executeColumnar()
    case rows                                                            =>
      val types = output.map(_.dataType)
      rows.execute().mapPartitions(new RowBatches(_, types))
  }

  private def withResults[T: ClassTag](execute: SparkPlan => RDD[T])(
      added: (ResultsByKey, Iterator[T]) => Iterator[T]
  )(readOnce: => RDD[T]): RDD[T] = {
    val totals =
      if (isForRdd || !read.listsFilesOnce) None
      else new TotalsReader(plan, read.left).read()
    read.countPartitions(totals.fold(0)(_.keys.length))
    val found = totals.fold(readOnce) { totals =>
      val (window, input, taskMetrics) = (plan, child.output, metrics)
      val sent = sparkContext.broadcast(OwnClasses.bytesOf(totals))
      execute(read.right).mapPartitions { found =>
        if (found.isEmpty) Iterator.empty
        else {
          WindowMetrics.timeTask(taskMetrics)
          val task = new WindowTask(TaskContext.get(), taskMetrics)
          added(new ResultsByKey(window, input, OwnClasses.valueOf[TableTotals](sent.value), task), found)
        }
      }
    }
    WindowMetrics.setTasks(sparkContext, metrics, found.getNumPartitions)
    found
  }

  override protected def withNewChildInternal(newChild: SparkPlan): TwiceReadWindowExec =
    copy(child = newChild)
}

object TwiceReadWindowExec {

  /** The greatest number of keys of a table that is read twice. */
  val MostKeys: Int = TotalsReader.MostKeys

  /**
   * Creates the operator over `rows`. The first read is `aggregated`, which has only some columns of `rows`.
   *
   * @param once
   *   the logical plan of the same window over rows that are read once
   */
  def apply(
      plan: SlidingWindowPlan,
      once: LogicalPlan,
      aggregated: SparkPlan,
      rows: SparkPlan
  ): TwiceReadWindowExec = {
    val twice = TwiceReadWindowExec(
      plan,
      once,
      plan.expressions.map(_.expression),
      plan.partitionSpec,
      plan.orderSpec,
      RowsReadTwiceExec(aggregated, rows)
    )
    if (once.output.map(_.exprId) == twice.output.map(_.exprId)) twice
    else twice.copy(once = Project(twice.output, once))
  }
}
