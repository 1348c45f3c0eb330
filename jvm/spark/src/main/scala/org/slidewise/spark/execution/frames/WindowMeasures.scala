package org.slidewise.spark.execution.frames

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import org.slidewise.spark.execution.rows.RowLog
import org.slidewise.spark.execution.task.TaskResources

/** What the SQL tab shows of a `SlidingWindow`. */
private[execution] object WindowMetrics {
  val Rows = "numOutputRows"
  val Combines = "combines"
  val PeakFrame = "peakFrameLength"
  val Memory = "peakMemory"
  val Spill = "spillSize"
  val SortTime = "sortTime"
  val Time = "windowTime"

  def create(context: SparkContext): Map[String, SQLMetric] = Map(
    Rows -> SQLMetrics.createMetric(context, "number of output rows"),
    Combines -> SQLMetrics.createMetric(context, "number of combines"),
    PeakFrame -> SQLMetrics.createAverageMetric(context, "peak frame length in rows"),
    Memory -> SQLMetrics.createSizeMetric(context, "peak memory"),
    Spill -> SQLMetrics.createSizeMetric(context, "spill size"),
    SortTime -> SQLMetrics.createNanoTimingMetric(context, "time in sort, with the child's"),
    Time -> SQLMetrics.createNanoTimingMetric(context, "time in window, estimated from a sample")
  )
}

/**
 * Measures one task's window.
 *
 * The time is that of a random sample of rows, scaled up: timing each row would cost as much as a short frame does.
 * Gaps are random, for the work comes in a rhythm of its own.
 */
final private[execution] class WindowMeasures(metrics: Map[String, SQLMetric], resources: TaskResources) {
  import WindowMeasures.MeanGap

  private[this] val rowMetric = metrics(WindowMetrics.Rows)
  private[this] var random = 0x2545f4914f6cdd1dL
  private[this] var untilSample = 1L
  private[this] var sampled, peakFrame = 0L
  private[this] var reported = false

  /** To be handed to [[end]]. */
  def begin(): Long = {
    untilSample -= 1
    if (untilSample == 0L) System.nanoTime() else 0L
  }

  def end(begin: Long, bounds: Array[FrameBounds]): Unit = {
    rowMetric += 1
    var i = 0
    while (i < bounds.length) {
      peakFrame = math.max(peakFrame, bounds(i).hi - bounds(i).lo)
      i += 1
    }
    if (begin != 0L) {
      sampled += System.nanoTime() - begin
      random ^= random << 13
      random ^= random >>> 7
      random ^= random << 17
      untilSample = 1 + (random >>> 1) % (2 * MeanGap - 1)
    }
  }

  /** Times a sort, and with it the arrival of the rows. */
  def timeSort[T](sort: => T): T = {
    val begin = System.nanoTime()
    try sort
    finally metrics(WindowMetrics.SortTime) += System.nanoTime() - begin
  }

  /** Counts what array kernels have answered; they make at most three combines a row and expression. */
  def answeredInArrays(answers: Int, rows: Int, expressions: Int, widest: Int, nanos: Long): Unit = {
    rowMetric += answers
    metrics(WindowMetrics.Combines) += 3L * rows * expressions
    metrics(WindowMetrics.Time) += nanos
    peakFrame = math.max(peakFrame, widest)
    metrics(WindowMetrics.PeakFrame).set(peakFrame.toDouble)
  }

  def reportMemory(bytes: Long, spilled: Long): Unit = {
    metrics(WindowMetrics.Memory) += bytes
    metrics(WindowMetrics.Spill) += spilled
    resources.countPeakMemory(bytes)
  }

  def report(logs: Seq[RowLog], evaluators: Array[FrameAnswers]): Unit = if (!reported) {
    reported = true
    val memory = logs.map(_.peakMemory).sum + evaluators.map(_.peakMemory).sum
    metrics(WindowMetrics.Combines) += evaluators.map(_.combines).sum
    metrics(WindowMetrics.PeakFrame).set(peakFrame.toDouble)
    metrics(WindowMetrics.Time) += sampled * MeanGap
    reportMemory(memory, logs.map(_.spilledBytes).sum)
  }
}

private[execution] object WindowMeasures {
  private val MeanGap = 64L
}
