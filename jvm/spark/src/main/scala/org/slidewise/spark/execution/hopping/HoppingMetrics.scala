package org.slidewise.spark.execution.hopping

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import org.slidewise.spark.execution.task.{MemoryMetrics, RowMeasures, TaskResources}

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
final private[execution] class HoppingMeasures(metrics: Map[String, SQLMetric], resources: TaskResources)
    extends RowMeasures {
  import HoppingMetrics._
  private[this] val rows = metrics(Rows)

  override def begin(): Long = 0L
  override def end(begin: Long, widest: Long): Unit = rows += 1

  /** Adds the counts of a task. To be called once. */
  def reportPanes(panes: Long, windows: Long): Unit = {
    metrics(Panes) += panes
    metrics(Windows) += windows
  }

  override def reportFrames(combines: Long, recalculated: Long, sorted: Long): Unit = {
    metrics(Combines) += combines
    metrics(Recalculated) += recalculated
  }

  override def reportMemory(bytes: Long, spilled: Long): Unit =
    MemoryMetrics.report(metrics, resources, bytes, spilled)
}
