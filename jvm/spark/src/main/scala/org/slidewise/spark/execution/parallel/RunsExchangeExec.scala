package org.slidewise.spark.execution.parallel

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.Statistics
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.ShuffleQueryStageExec
import org.apache.spark.sql.execution.exchange._
import org.apache.spark.sql.execution.metric._
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.util.CollectionAccumulator

import org.slidewise.spark.execution.exchange.{FilteredBatchesExec, RowBlocksExchange}
import org.slidewise.spark.execution.surroundings.SurroundingFunctions
import org.slidewise.spark.plan.SlidingWindowPlan

/**
 * Writes the rows of each task to the shuffle as a run: buckets of about equal size that follow one another in the sort order.
 * Tasks send the least keys of the buckets to the driver. With them, any range of the global order can be read from the buckets
 * that hold it. The cuts between tasks are therefore chosen when all rows have been seen, and the child runs once.
 *
 * Without partition keys, a child with a single partition is not written at all if only one window reads it. If rows have no
 * order, a run is one bucket.
 *
 * Spark's exchange reuse treats exchanges of the same rows as equal, like Spark's own exchanges of windows without keys. A window
 * that needs the rows in another order than the first window writes them once more, and the child runs once: see [[inOrder]].
 *
 * Memory: in a task, its rows, which may go to files. On the driver, for each bucket of each run, a key and, if `aggregated` is
 * not empty, an aggregate. If there are many runs, a run has fewer than `buckets` buckets, but at least a quarter.
 *
 * @param partitionSpec
 *   the expressions by which the rows are sorted first
 * @param order
 *   the order of the rows within a partition
 * @param buckets
 *   the maximum number of buckets of a run
 * @param rowsABucket
 *   the approximate minimum number of rows of a bucket
 * @param aggregated
 *   the window expressions that need the aggregate of the rows of each bucket
 * @param window
 *   the plan of these expressions, if there are any
 * @param isReread
 *   whether several windows of the query, or a join, read the rows
 */
case class RunsExchangeExec(
    partitionSpec: Seq[Expression],
    order: Seq[SortOrder],
    buckets: Int,
    rowsABucket: Long,
    aggregated: Seq[NamedExpression],
    window: Option[SlidingWindowPlan],
    isReread: Boolean,
    child: SparkPlan
) extends RowBlocksExchange {

  override protected def ownMetrics: Map[String, SQLMetric] = RunMetrics.create(sparkContext)

  // AQE may not change the partitions of this shuffle, because this operator determines them.
  override def shuffleOrigin: ShuffleOrigin = REPARTITION_BY_NUM
  override def outputPartitioning: Partitioning = UnknownPartitioning(buckets)
  override def numPartitions: Int = buckets
  override def stringArgs: Iterator[Any] =
    Iterator[Any](partitionSpec, order, buckets) ++
      (if (aggregated.isEmpty) None else Some(aggregated)) ++ Some(s"[plan_id=$id]")

  override protected def doCanonicalize(): SparkPlan =
    super
      .doCanonicalize()
      .asInstanceOf[RunsExchangeExec]
      .copy(order = Nil, buckets = 0, rowsABucket = 0L, aggregated = Nil, window = None, isReread = false)

  /** Whether the rows have no order, so that the frame of each row is the whole table. */
  private def isUnordered: Boolean = window.exists(_.isWholeTable)

  /**
   * This exchange, if its rows are in the order `wanted`. Otherwise another exchange, which writes the rows that it reads from this
   * one.
   *
   * @param input
   *   the attributes of the rows in the order
   */
  private[parallel] def inOrder(
      wanted: RunOrder,
      parallel: ParallelPlan,
      input: Seq[Attribute]
  ): RunsExchangeExec = {
    val own = normalized(partitionSpec ++ order, child.output)
    if (!isUnordered && own == normalized(wanted.partition ++ wanted.order, input)) this
    else RunsExchangeExec.of(wanted, parallel, RunRowsExec(input, this))
  }

  /** Whether the index of a run has the aggregates that a window needs. */
  private[parallel] def hasAggregatesOf(reader: SlidingWindowPlan, input: Seq[Attribute]): Boolean =
    window.nonEmpty && normalized(aggregated.map(definition), child.output) ==
      normalized(reader.expressions.map(planned => definition(planned.expression)), input)

  private def definition(expression: NamedExpression): Expression = expression match {
    case Alias(child, _) => child
    case other           => other
  }

  private def normalized(expressions: Seq[Expression], input: Seq[Attribute]): Seq[Expression] =
    expressions.map(QueryPlan.normalizeExpressions(_, input))

  @transient private lazy val indexes: RunIndexes = {
    val found = new CollectionAccumulator[Array[Byte]]
    sparkContext.register(found)
    new RunIndexes(found)
  }

  /** The determinism of the tasks that write the rows. None if a task that runs again may write other rows. */
  @transient private lazy val determinism: Option[OutputDeterminism] = {
    val rdd = inputRDD
    hasChildRun = true
    ofChild.flatMap(_.limitedBy(rdd))
  }

  /** Whether the child has run. Afterwards, its plan does not change. */
  @transient @volatile private[parallel] var hasChildRun = false

  @transient private[parallel] lazy val ofChild: Option[OutputDeterminism] = new PlanDeterminism().of(child)

  /**
   * Whether the rows are written. The rows of a single task are not written, unless several tasks can share them by partition
   * key, or several readers would run the child again.
   */
  override protected def isWritten: Boolean =
    inputRDD.getNumPartitions > (if (partitionSpec.isEmpty && !isReread) 1 else 0)

  /** The rows of each run. */
  private[parallel] def rowsByRun: RDD[InternalRow] =
    getShuffleRDD(Array.tabulate(numMappers)(PartialMapperPartitionSpec(_, 0, partitions)))

  override protected def partitions: Int =
    if (isUnordered) 1 else math.max(buckets, RunsExchangeExec.MostBypassed + 1)

  @transient override protected lazy val inputRDD: RDD[_] = if (child.supportsColumnar) ofBatches else ofRows

  @transient private lazy val ofRows: RDD[InternalRow] = inRows.execute()
  @transient private lazy val ofBatches: RDD[ColumnarBatch] = child.executeColumnar()

  /** The child, with rows for its output. */
  @transient private[parallel] lazy val inRows: SparkPlan = FilteredBatchesExec.rowsOf(child)

  override protected def blocks(): RDD[Product2[Int, InternalRow]] = {
    val writer =
      if (isUnordered)
        new UnorderedRunWriter(new SurroundingFunctions(window.get, child.output), blockWrite, indexes)
      else
        new OrderedRunWriter(
          RunOrder(partitionSpec, order),
          hashed = determinism.filterNot(_.sameOrder).map(_.same(child.output)),
          RunBuckets(RunsExchangeExec.bucketsOfRun(buckets, inputRDD.getNumPartitions), rowsABucket),
          window.map(new SurroundingFunctions(_, child.output.filter(AttributeSet(aggregated).contains))),
          child.output,
          blockWrite,
          indexes,
          metrics
        )
    if (child.supportsColumnar)
      ofBatches
        .mapPartitionsWithIndex((run, found) =>
          writer.write(run, new RunInput.Batches(found), TaskContext.get())
        )
    else
      ofRows.mapPartitionsWithIndex((run, found) =>
        writer.write(run, new RunInput.Rows(found), TaskContext.get())
      )
  }

  /**
   * Writes the runs if they have not been written yet, and blocks until all tasks are done.
   *
   * @return
   *   the runs; none if the exchange does not write its rows, see `isWritten`
   */
  private[parallel] def write(): Option[WrittenRuns] = executeQuery {
    if (!isWritten) None
    else {
      awaitWritten()
      val found = indexes.value
      Some(WrittenRuns(Array.tabulate(numMappers)(found), determinism))
    }
  }

  override def runtimeStatistics: Statistics =
    if (isWritten) super.runtimeStatistics
    else
      // Without a row count, because Spark would take an estimate for an exact count.
      Statistics(child.logicalLink.fold(BigInt(Long.MaxValue))(_.stats.sizeInBytes))

  override protected def doExecute(): RDD[InternalRow] = if (isWritten) super.doExecute() else ofRows

  override protected def withNewChildInternal(newChild: SparkPlan): RunsExchangeExec =
    copy(child = newChild)
}

object RunsExchangeExec {

  /** The exchange of a window's rows that several tasks share. */
  def of(plan: SlidingWindowPlan, parallel: ParallelPlan, child: SparkPlan): RunsExchangeExec = {
    val rows = of(RunOrder(plan.partitionSpec, plan.sortOrder), parallel, child)
    rows.copy(
      buckets = if (plan.isWholeTable) 1 else rows.buckets,
      aggregated = if (parallel.aggregatesRuns) plan.expressions.map(_.expression) else Nil,
      window = if (parallel.aggregatesRuns) Some(plan) else None,
      isReread = false
    )
  }

  /** The exchange of rows that several tasks share, which is written however few partitions there are. */
  private[parallel] def of(order: RunOrder, parallel: ParallelPlan, child: SparkPlan): RunsExchangeExec =
    RunsExchangeExec(
      order.partition,
      order.order,
      bucketsFor(parallel.maxTasks),
      rowsABucket = math.min(FewestRows, parallel.minRows),
      aggregated = Nil,
      window = None,
      isReread = true,
      child
    )

  // Up to this number of partitions, the shuffle writes a file for each partition: see `spark.shuffle.sort.bypassMergeThreshold`.
  private val MostBypassed = 200

  // A bucket of fewer rows would cost more than it saves.
  private val FewestRows = 64L

  // The driver holds the keys of all buckets. Beyond this number, each run has fewer buckets, down to a quarter.
  private val MostInAll = 1 << 20
  private val MostOfRun = 4096

  /** The number of buckets that makes the cuts among `tasks` tasks exact enough. */
  private[parallel] def bucketsFor(tasks: Int): Int =
    math.max(256, math.min(16L * tasks, MostOfRun.toLong).toInt)

  /**
   * The maximum number of buckets of each of `runs` runs.
   *
   * @param buckets
   *   the result of [[bucketsFor]]; with fewer buckets for each task, tasks would read many rows besides their own
   */
  private[parallel] def bucketsOfRun(buckets: Int, runs: Int): Int =
    if (buckets >= MostOfRun) buckets
    else math.min(buckets, math.max(buckets / 4, MostInAll / math.max(1, runs)))

  /** The exchange that `plan` is, reuses, or runs as a query stage. */
  private[parallel] def in(plan: SparkPlan): RunsExchangeExec = plan match {
    case exchange: RunsExchangeExec      => exchange
    case ReusedExchangeExec(_, exchange) => in(exchange)
    case stage: ShuffleQueryStageExec    => in(stage.plan)
    case other                           => throw new IllegalStateException(s"${other.nodeName} has no runs")
  }
}

/**
 * The runs that an exchange has written.
 *
 * @param indexes
 *   the indexes of the runs, by the runs' numbers
 * @param determinism
 *   the determinism of the tasks that write the runs; none if a task that runs again may write other rows
 */
final private[parallel] case class WrittenRuns(
    indexes: Array[RunIndex],
    determinism: Option[OutputDeterminism]
)
