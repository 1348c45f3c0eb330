package org.slidewise.spark.execution.exchange

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/** The metrics of an exchange of blocks, besides Spark's own metrics of shuffles. */
private[execution] object BlockMetrics {
  val BlockSize = "blockSize"
  val DataSize = "dataSize"
  val Rows = "numRows"

  def create(context: SparkContext): Map[String, SQLMetric] = Map(
    BlockSize -> SQLMetrics.createSizeMetric(context, "size of blocks"),
    DataSize -> SQLMetrics.createSizeMetric(context, "data size"),
    Rows -> SQLMetrics.createMetric(context, "number of rows")
  )
}
