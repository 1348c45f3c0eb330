package org.slidewise.spark.execution.streams

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.util.AccumulatorV2

import org.slidewise.spark.shims.SparkStreaming.StatefulOperatorCustomMetric

/** A metric of a stateful operator in bytes, summed over the tasks. */
final private[streams] case class SizeMetric(name: String, desc: String)
    extends StatefulOperatorCustomMetric {
  override def createSQLMetric(context: SparkContext): SQLMetric =
    SQLMetrics.createSizeMetric(context, desc)
}

/** A metric of a stateful operator in milliseconds. The query's progress shows the maximum over all tasks. */
final private[streams] case class LongestTimeMetric(name: String, desc: String)
    extends StatefulOperatorCustomMetric {
  override def createSQLMetric(context: SparkContext): SQLMetric = {
    val metric = new LongestTime
    context.register(metric, desc)
    metric
  }
}

final private class LongestTime extends SQLMetric("timing", 0L) {
  override def copy(): SQLMetric = {
    val copied = new LongestTime
    copied.set(value)
    copied
  }

  override def merge(other: AccumulatorV2[Long, Long]): Unit = set(math.max(value, other.value))
}
