package org.slidewise.spark.execution.toprows

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import org.slidewise.spark.execution.task.MemoryMetrics

/** The metrics of a `WindowTopRows` in the SQL tab. */
private[execution] object TopRowsMetrics {
  val Rows = "numOutputRows"
  val Rejected = "rejectedRows"
  val Groups = "groups"
  val Fallbacks = "fallbacks"
  val Time = "selectionTime"

  def create(context: SparkContext): Map[String, SQLMetric] = MemoryMetrics.create(context) ++ Map(
    Rows -> SQLMetrics.createMetric(context, "number of output rows"),
    Rejected -> SQLMetrics.createMetric(context, "number of rejected rows"),
    Groups -> SQLMetrics.createMetric(context, "number of groups"),
    Fallbacks -> SQLMetrics.createMetric(context, "number of fallbacks to passing all rows"),
    Time -> SQLMetrics.createNanoTimingMetric(context, "time in selection, including the child's")
  )
}
