package org.slidewise.spark

import org.apache.spark.sql.ExtendedExplainGenerator
import org.apache.spark.sql.execution.SparkPlan

import org.slidewise.core.Stable
import org.slidewise.spark.explain.WindowReport

/**
 * Adds one JSON object for each window expression to EXPLAIN: whether Slidewise runs the expression, and the reason if not. To use
 * it, name this class in `spark.sql.extendedExplainProviders`.
 */
@Stable
class SlidewiseExplain extends ExtendedExplainGenerator {
  override def title: String = "Slidewise"

  override def generateExtendedInfo(plan: SparkPlan): String =
    WindowReport.of(plan).map(_.json).mkString("\n")
}
