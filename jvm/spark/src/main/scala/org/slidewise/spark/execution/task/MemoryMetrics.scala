package org.slidewise.spark.execution.task

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/** The metrics of memory that each operator of Slidewise has in the SQL tab. */
private[execution] object MemoryMetrics {
  val Peak = "peakMemory"
  val Spill = "spillSize"

  def create(context: SparkContext): Map[String, SQLMetric] = Map(
    Peak -> SQLMetrics.createSizeMetric(context, "peak memory"),
    Spill -> SQLMetrics.createSizeMetric(context, "spill size")
  )

  /** Adds the peak memory and the spilled bytes of one part of a task. */
  def report(metrics: Map[String, SQLMetric], resources: TaskResources, peak: Long, spilled: Long): Unit = {
    metrics(Peak) += peak
    metrics(Spill) += spilled
    resources.countPeakMemory(peak)
  }
}
