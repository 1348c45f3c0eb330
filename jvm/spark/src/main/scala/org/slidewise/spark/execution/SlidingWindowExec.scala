package org.slidewise.spark.execution

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.vectorized.ColumnarBatch

import org.slidewise.spark.plan.{OneTask, SlidingWindowPlan, SortPlacement}

/**
 * Evaluates each partition of a window in one task. Same required distribution as `WindowExec`. Same required ordering if Spark
 * sorts, and none if the operator sorts.
 *
 * @param supportsColumnar
 *   whether the operator returns batches; see [[BatchesOut]]
 */
case class SlidingWindowExec(
    plan: SlidingWindowPlan,
    windowExpression: Seq[NamedExpression],
    partitionSpec: Seq[Expression],
    orderSpec: Seq[SortOrder],
    child: SparkPlan,
    override val supportsColumnar: Boolean = false
) extends SlidingWindowExecBase
    with BatchesOut {

  override def requiredChildDistribution: Seq[Distribution] =
    Seq(if (partitionSpec.isEmpty) AllTuples else ClusteredDistribution(partitionSpec))

  @transient override lazy val outputPartitioning: Partitioning = child.outputPartitioning

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(if (plan.sortPlacement == SortPlacement.BelowOperator) requiredOrder else Nil)

  @transient override lazy val outputOrdering: Seq[SortOrder] =
    if (groups) Nil else if (sortsChild) sortedOrder else childOrdering

  @transient private lazy val childOrdering: Seq[SortOrder] = child.outputOrdering

  @transient private lazy val sortsChild: Boolean = sorts(childOrdering, requiredOrder)

  /** Whether the operator groups the rows by hash. */
  private def groups: Boolean = plan.sortPlacement == SortPlacement.Unneeded && sortsChild

  /** The same operator, with its rows in the order of the partition keys. */
  def inOrder: SlidingWindowExec = copy(plan = plan.inOrder)

  override def evaluatesAsSpark: Boolean = isAsFastInSpark(sortsChild)

  override def tasksNote: Option[String] = oneTask
    .filter(_ != OneTask.FewRows)
    .map(reason => s"one task evaluates all rows: $reason")

  /** The reason why one task evaluates all rows; none if partition keys spread them. */
  private def oneTask: Option[String] = if (partitionSpec.isEmpty) plan.oneTask else None

  override protected def stringArgs: Iterator[Any] = arguments(
    if (evaluatesAsSpark) Seq(s"as Spark: ${SlidingWindowExec.InOrder}")
    else
      oneTask.map(reason => s"one task: $reason").toSeq ++
        (if (!sortsChild) None else if (groups) Some("groups by hash") else Some("sorts"))
  )

  /** Plans of two queries are equal if their expressions are, whatever the identifiers of their columns. */
  override protected def doCanonicalize(): SparkPlan = {
    val canonical = super.doCanonicalize().asInstanceOf[SlidingWindowExec]
    canonical.copy(plan = plan.canonical(QueryPlan.normalizeExpressions(_, allAttributes)))
  }

  override protected def doExecute(): RDD[InternalRow] = {
    warnOfOneTask()
    evaluate(child, sortsChild)
  }

  // A sorter reads whole blocks. Other evaluations read one row after the other.
  override protected def readInBatches: Seq[SparkPlan] =
    if (sortsChild) Seq(child) else Nil

  override protected def hasBatches: Boolean =
    sortsChild && plan.arrays.isDefined && plan.rowWise.isEmpty

  override protected def ofBatches: SparkPlan = copy(supportsColumnar = true)

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = {
    warnOfOneTask()
    evaluateBatches(child, sorts = true)
  }

  private def warnOfOneTask(): Unit =
    oneTask.foreach(reason => logWarning(s"${SlidingWindowExec.OneTask}: $reason"))

  override protected def withNewChildInternal(newChild: SparkPlan): SlidingWindowExec = copy(child = newChild)
}

object SlidingWindowExec {
  private val OneTask = "No Partition Defined for Window operation! One task evaluates all rows"

  /** The reason why an operator evaluates as Spark's operator does. */
  val InOrder = "the rows come in order, and Spark's evaluation goes over each row once"

  def apply(plan: SlidingWindowPlan, child: SparkPlan): SlidingWindowExec =
    SlidingWindowExec(plan, plan.expressions.map(_.expression), plan.partitionSpec, plan.orderSpec, child)
}
