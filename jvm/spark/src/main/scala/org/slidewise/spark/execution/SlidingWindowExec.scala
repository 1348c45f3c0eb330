package org.slidewise.spark.execution

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SQLExecution, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.window.WindowExec

import org.slidewise.spark.execution.task.{WindowMetrics, WindowTask}
import org.slidewise.spark.execution.parallel._
import org.slidewise.spark.plan.{ParallelPlan, SlidingWindowPlan, SortPlacement}

/**
 * Evaluates ranks, offsets and aggregates over any frames, and returns each input row with the results of its window functions.
 *
 * Same required distribution as `WindowExec`. None if several tasks share the rows; the child is then a [[RunsExchangeExec]].
 * Same required ordering if Spark sorts, and none if the operator sorts.
 *
 * It is no `WindowExecBase`, because Spark's rules assume that such operators leave rows in the order in which they come.
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
) extends UnaryExecNode
    with RepeatableOperator {

  // What follows asks its child, and Spark asks each operator of a chain for it: kept, so that the cost of a plan is linear.
  @transient override lazy val output: Seq[Attribute] = child.output ++ windowExpression.map(_.toAttribute)

  /** The runs that several tasks share; none if each partition is evaluated in one task. */
  @transient private lazy val runs: Option[RunsExchangeExec] = RunsExchangeExec.in(child)

  override def requiredChildDistribution: Seq[Distribution] =
    if (plan.parallel.isRight) Seq(UnspecifiedDistribution)
    else if (partitionSpec.isEmpty) Seq(AllTuples)
    else Seq(ClusteredDistribution(partitionSpec))

  @transient override lazy val outputPartitioning: Partitioning =
    plan.parallel.fold(_ => child.outputPartitioning, p => OrderedPartitioning(outputOrdering, p.maxTasks))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(if (plan.sortPlacement == SortPlacement.BelowOperator) requiredOrder else Nil)

  @transient override lazy val outputOrdering: Seq[SortOrder] =
    if (groups) Nil
    else if (sortsChild || plan.parallel.isRight) sortedOrder
    else childOrdering

  @transient private lazy val childOrdering: Seq[SortOrder] = child.outputOrdering

  private def requiredOrder: Seq[SortOrder] = partitionSpec.map(SortOrder(_, Ascending)) ++ orderSpec

  /** The order of the rows if the operator sorts them. An operator above may rely on more of it than the windows need. */
  private def sortedOrder: Seq[SortOrder] = requiredOrder ++ plan.sortOrder.drop(orderSpec.size)

  /**
   * Whether the operator takes rows that are not in order. If tasks share the rows, the order of the output is declared before it
   * is known whether the rows come sorted.
   */
  private def sorts(ordering: Seq[SortOrder]): Boolean =
    plan.sortPlacement != SortPlacement.BelowOperator &&
      !SortOrder.orderingSatisfies(ordering, if (plan.parallel.isRight) sortedOrder else requiredOrder)

  @transient private lazy val sortsChild: Boolean = sorts(childOrdering)

  /** Whether the operator groups the rows by hash. */
  private def groups: Boolean = plan.sortPlacement == SortPlacement.Unneeded && sortsChild

  /** The same operator, with its rows in the order of the partition keys. */
  def inOrder: SlidingWindowExec = copy(plan = plan.inOrder)

  /**
   * Whether the rows are evaluated as in Spark's operator: they come in order, and it is as fast as any then. Known once the
   * children are planned.
   */
  def evaluatesAsSpark: Boolean = plan.parallel.isLeft && isAsFastInSpark(sortsChild)

  private def isAsFastInSpark(sorts: Boolean): Boolean = !sorts && plan.constantInSpark

  override private[execution] def variations(child: Variations): Option[Variations] =
    Some(child ++ child.ofResults(windowExpression))

  // Tasks that share the rows leave ties in their order.
  override private[execution] def keepsOrder: Boolean =
    plan.parallel.isRight && windowExpression.forall(Variations.repeats)

  override lazy val metrics: Map[String, SQLMetric] = WindowMetrics.create(sparkContext)

  override protected def stringArgs: Iterator[Any] =
    Iterator[Any](plan.methods, windowExpression, partitionSpec, orderSpec) ++
      (if (evaluatesAsSpark) Seq(s"as Spark: ${SlidingWindowExec.InOrder}")
       else
         plan.parallel.fold(
           why => if (partitionSpec.isEmpty) Some(s"one task: $why") else None,
           p => Some(p.toString)
         ) ++
           (if (plan.parallel.isRight || !sortsChild) None
            else if (groups) Some("groups by hash")
            else Some("sorts")) ++
           (if (plan.fallback.nonEmpty) Some(plan.fallback.mkString("falls back to ", ", ", "")) else None))

  /** Plans of two queries are equal if their expressions are, whatever the identifiers of their columns. */
  override protected def doCanonicalize(): SparkPlan = {
    val canonical = super.doCanonicalize().asInstanceOf[SlidingWindowExec]
    val sortOrder = plan.sortOrder.map(QueryPlan.normalizeExpressions(_, allAttributes))
    canonical.copy(plan = plan.canonical.copy(sort = plan.sort.copy(order = sortOrder)))
  }

  override protected def doExecute(): RDD[InternalRow] =
    if (plan.parallel.isRight) evaluateInParallel(plan.parallel.toOption.get, runs.get)
    else {
      plan.parallel.left.foreach(why =>
        if (partitionSpec.isEmpty) logWarning(s"${SlidingWindowExec.OneTask}: $why")
      )
      evaluate(child, sortsChild)
    }

  /** Evaluates each partition of `rows` in one task, which sorts the rows if they are in no order. */
  private def evaluate(rows: SparkPlan, sorts: Boolean): RDD[InternalRow] =
    if (isAsFastInSpark(sorts)) evaluateAsSpark(rows) else evaluateWhole(rows, sorts)

  private def evaluateAsSpark(rows: SparkPlan): RDD[InternalRow] = {
    val counted = longMetric(WindowMetrics.Rows)
    WindowExec(windowExpression, partitionSpec, orderSpec, rows).execute().mapPartitions { rows =>
      rows.map { row =>
        counted += 1
        row
      }
    }
  }

  private def evaluateWhole(rows: SparkPlan, sorts: Boolean): RDD[InternalRow] = {
    val evaluation = WindowEvaluation.of(plan, rows.output, sorts)
    val taskMetrics = metrics
    rows.execute().mapPartitions { found =>
      if (found.isEmpty) Iterator.empty
      else evaluation.evaluate(found, new WindowTask(TaskContext.get(), taskMetrics))
    }
  }

  private def evaluateInParallel(parallel: ParallelPlan, runs: RunsExchangeExec): RDD[InternalRow] = {
    val ofAll = WindowEvaluation.of(plan, child.output, sorts = true)
    // Ties must be in the same order in each task. Spark's radix sort orders them by all rows that it sorts.
    val ofRange =
      WindowEvaluation.of(plan.copy(sort = plan.sort.copy(radixInSpark = false)), child.output, sorts = true)
    val ofWholeTable = new WholeTableEvaluation(plan, child.output)
    val evaluation = new RangeEvaluation(ofAll.evaluate, ofRange.evaluate, ofWholeTable.evaluate, metrics)
    val tasks = if (isForRdd && partitionSpec.isEmpty) parallel.copy(maxTasks = 1) else parallel
    val found = new ParallelWindow(plan, tasks, child.output, evaluation)
      .execute(runs)
      .getOrElse(inOnePartition(unshared(runs)))
    metrics(WindowMetrics.Tasks).set(found.getNumPartitions)
    SQLMetrics.postDriverMetricUpdates(
      sparkContext,
      sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY),
      Seq(metrics(WindowMetrics.Tasks))
    )
    found
  }

  /**
   * Whether a user gets the rows as an RDD, with Spark's partitions. Barrier stages and functions of partitions see these. Spark
   * runs any other query in an execution.
   */
  private def isForRdd: Boolean = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY) == null

  /** Evaluates the rows of an exchange with one partition, which the exchange does not write. */
  private def unshared(runs: RunsExchangeExec): RDD[InternalRow] = {
    val rows = unwritten(runs)
    evaluate(rows, sorts(rows.outputOrdering))
  }

  /**
   * Returns `rows`, or one empty partition if `rows` has no partitions. An operator above that needs all rows in one partition
   * needs one also if there are no rows.
   */
  private def inOnePartition(rows: RDD[InternalRow]): RDD[InternalRow] =
    if (rows.getNumPartitions > 0) rows else sparkContext.parallelize(Seq.empty[InternalRow], numSlices = 1)

  /** The unwritten rows of an exchange, under the names of this operator's child. */
  private def unwritten(runs: RunsExchangeExec): SparkPlan =
    if (runs.output == child.output) runs.child
    else
      ProjectExec(
        child.output.zip(runs.output).map { case (name, value) => Alias(value, name.name)(name.exprId) },
        runs.child
      )

  override protected def withNewChildInternal(newChild: SparkPlan): SlidingWindowExec = copy(child = newChild)
}

object SlidingWindowExec {
  private val OneTask = "No Partition Defined for Window operation! One task evaluates all rows"

  /** The reason why an operator evaluates as Spark's operator does. */
  val InOrder = "the rows come in order, and Spark's evaluation goes over each row once"

  def apply(plan: SlidingWindowPlan, child: SparkPlan): SlidingWindowExec =
    SlidingWindowExec(plan, plan.expressions.map(_.expression), plan.partitionSpec, plan.orderSpec, child)
}
