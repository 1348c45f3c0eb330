package org.slidewise.spark.execution.task

import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/** The metrics of a `SlidingWindow` in the SQL tab. */
private[execution] object WindowMetrics {
  val Rows = "numOutputRows"
  val Tasks = "tasks"
  val HaloRows = "haloRows"
  val TaskTime = "taskTime"
  val Combines = "combines"
  val Fallbacks = "fallbacks"
  val Recalculated = "recalculatedFrames"
  val Sorted = "sortedPartitions"
  val PeakFrame = "peakFrameLength"
  val SortTime = "sortTime"
  val Time = "windowTime"

  def create(context: SparkContext): Map[String, SQLMetric] = MemoryMetrics.create(context) ++ Map(
    Rows -> SQLMetrics.createMetric(context, "number of output rows"),
    Tasks -> SQLMetrics.createMetric(context, "number of tasks that share the rows"),
    HaloRows -> SQLMetrics.createMetric(context, "number of rows that tasks read of their neighbours"),
    TaskTime -> SQLMetrics.createNanoTimingMetric(context, "time of tasks that share the rows"),
    Combines -> SQLMetrics.createMetric(context, "number of combines, upper bound for array kernels"),
    Fallbacks -> SQLMetrics.createMetric(context, "number of fallbacks to row-wise evaluation"),
    Recalculated -> SQLMetrics.createMetric(context, "number of frames recalculated as Spark does"),
    Sorted -> SQLMetrics
      .createMetric(context, "number of partitions whose distinct values were sorted for lack of memory"),
    PeakFrame -> SQLMetrics.createAverageMetric(context, "peak frame length in rows"),
    SortTime -> SQLMetrics.createNanoTimingMetric(context, "time in sort, including the child's"),
    Time -> SQLMetrics.createNanoTimingMetric(context, "time in window, estimated from a sample")
  )

  /** Adds the time from now to the end of the running task to the time of tasks that share rows. */
  def timeTask(metrics: Map[String, SQLMetric]): Unit = {
    val begin = System.nanoTime()
    TaskContext
      .get()
      .addTaskCompletionListener[Unit](_ => metrics(TaskTime) += System.nanoTime() - begin)
  }

  /** Sets the number of tasks that share the rows, on the driver. */
  def setTasks(context: SparkContext, metrics: Map[String, SQLMetric], tasks: Int): Unit =
    setOnDriver(context, metrics(Tasks), tasks.toLong)

  /** Sets a metric of the running query, on the driver. */
  def setOnDriver(context: SparkContext, metric: SQLMetric, value: Long): Unit = {
    metric.set(value)
    SQLMetrics.postDriverMetricUpdates(
      context,
      context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY),
      Seq(metric)
    )
  }

  /** The metrics of an operator that only evaluates row by row and does not sort. */
  def rowByRow(context: SparkContext): Map[String, SQLMetric] =
    create(context) -- Seq(Tasks, HaloRows, TaskTime, Fallbacks, Sorted, SortTime)
}

/** Measures the evaluation of rows, one after the other, in one task. */
private[execution] trait RowMeasures {

  /** Begins a row. Returns the time to pass to [[end]]; 0 for a row that is not timed. */
  def begin(): Long

  /**
   * Ends a row.
   *
   * @param widest
   *   the number of elements in the widest of its frames
   */
  def end(begin: Long, widest: Long): Unit

  /**
   * Reports the work for all rows. Must be called once.
   *
   * @param recalculated
   *   the number of frames that were recalculated
   * @param sorted
   *   the number of partitions whose distinct values were sorted
   */
  def reportFrames(combines: Long, recalculated: Long, sorted: Long): Unit

  def reportMemory(bytes: Long, spilled: Long): Unit
}

/**
 * Updates the metrics for one task.
 *
 * The time in the window is estimated from a random sample of rows, because timing each row would cost as much as a short frame
 * does. Each row is sampled with the same probability, the first row included. Gaps between samples are random, because the cost
 * of rows may be periodic.
 *
 * @param seed
 *   the seed of the sample, not zero
 */
final private[execution] class WindowMeasures(
    metrics: Map[String, SQLMetric],
    resources: TaskResources,
    seed: Long
) extends RowMeasures {
  import WindowMeasures.MeanGap
  private[this] val rowMetric = metrics(WindowMetrics.Rows)
  private[this] val combineMetric = metrics(WindowMetrics.Combines)
  private[this] val recalculatedMetric = metrics(WindowMetrics.Recalculated)
  private[this] var random = seed
  private[this] var untilSample = nextGap()
  private[this] var sampled, peakFrame = 0L

  private def nextGap(): Long = {
    random ^= random << 13
    random ^= random >>> 7
    random ^= random << 17
    1 + (random >>> 1) % (2 * MeanGap - 1)
  }

  override def begin(): Long = {
    untilSample -= 1
    if (untilSample == 0L) System.nanoTime() else 0L
  }

  override def end(begin: Long, widest: Long): Unit = {
    rowMetric += 1
    peakFrame = math.max(peakFrame, widest)
    if (begin != 0L) {
      sampled += System.nanoTime() - begin
      untilSample = nextGap()
    }
  }

  /** Times a sort, including the arrival of the rows. */
  def timeSort[T](sort: => T): T = {
    val begin = System.nanoTime()
    try sort
    finally metrics(WindowMetrics.SortTime) += System.nanoTime() - begin
  }

  def stopIfCancelled(): Unit = resources.stopIfCancelled()

  def countFallback(): Unit = metrics(WindowMetrics.Fallbacks) += 1

  /**
   * Counts the work of array kernels, which make at most three combines for each row and expression.
   *
   * @param handedOut
   *   the number of rows whose results are handed out
   * @param rows
   *   the number of rows that the kernels went over for these results
   * @param widest
   *   the number of rows in the widest frame
   * @param recalculated
   *   the number of frames that were recalculated
   */
  def countArrays(handedOut: Int, rows: Int, expressions: Int, widest: Int, recalculated: Long): Unit = {
    rowMetric += handedOut
    combineMetric += 3L * rows * expressions
    if (recalculated > 0) recalculatedMetric += recalculated
    widen(widest)
  }

  /**
   * Counts the work of a hash grouping: each of `expressions` functions adds each row to its partition. The largest partition has
   * `widest` rows.
   */
  def countGroups(rows: Int, expressions: Int, widest: Int): Unit = {
    rowMetric += rows
    combineMetric += rows.toLong * expressions
    widen(widest)
  }

  private def widen(widest: Int): Unit = if (widest > peakFrame) {
    peakFrame = widest
    metrics(WindowMetrics.PeakFrame).set(peakFrame.toDouble)
  }

  /** Adds to the time in the window. */
  def addArrayTime(nanos: Long): Unit = metrics(WindowMetrics.Time) += nanos

  override def reportMemory(bytes: Long, spilled: Long): Unit =
    MemoryMetrics.report(metrics, resources, bytes, spilled)

  override def reportFrames(combines: Long, recalculated: Long, sorted: Long): Unit = {
    combineMetric += combines
    recalculatedMetric += recalculated
    metrics.get(WindowMetrics.Sorted).foreach(_ += sorted)
    metrics(WindowMetrics.PeakFrame).set(peakFrame.toDouble)
    metrics(WindowMetrics.Time) += sampled * MeanGap
  }
}

private[execution] object WindowMeasures {
  private val MeanGap = 64L
}
