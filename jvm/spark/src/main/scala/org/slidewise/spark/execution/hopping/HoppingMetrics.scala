package org.slidewise.spark.execution.hopping

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import org.slidewise.spark.execution.frames.FrameEvaluator
import org.slidewise.spark.execution.task.{MemoryMetrics, TaskResources}

/** The metrics of a `HoppingWindow` in the SQL tab. */
private[execution] object HoppingMetrics {
  val Rows = "numOutputRows"
  val Panes = "panes"
  val Windows = "windows"
  val Combines = "combines"
  val Recalculated = "recalculatedWindows"

  def create(context: SparkContext): Map[String, SQLMetric] = MemoryMetrics.create(context) ++ Map(
    Rows -> SQLMetrics.createMetric(context, "number of output rows"),
    Panes -> SQLMetrics.createMetric(context, "number of panes"),
    Windows -> SQLMetrics.createMetric(context, "number of windows"),
    Combines -> SQLMetrics.createMetric(context, "number of combines"),
    Recalculated -> SQLMetrics.createMetric(context, "number of windows recalculated from their panes")
  )
}

/** Updates the metrics for one task. */
final private[execution] class HoppingMeasures(metrics: Map[String, SQLMetric], resources: TaskResources) {
  import HoppingMetrics._
  private[this] val rows = metrics(Rows)

  def countRow(): Unit = rows += 1

  /** Adds the counts of a task. To be called once. */
  def report(panes: Long, windows: Long, evaluators: Seq[FrameEvaluator]): Unit = {
    metrics(Panes) += panes
    metrics(Windows) += windows
    metrics(Combines) += evaluators.map(_.combines).sum
    metrics(Recalculated) += evaluators.map(_.recalculated).sum
  }

  def reportMemory(peak: Long, spilled: Long): Unit =
    MemoryMetrics.report(metrics, resources, peak, spilled)
}
