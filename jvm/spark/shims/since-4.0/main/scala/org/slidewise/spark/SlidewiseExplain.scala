package org.slidewise.spark

import org.apache.spark.sql.ExtendedExplainGenerator
import org.apache.spark.sql.execution.SparkPlan

import org.slidewise.core.Stable
import org.slidewise.spark.explain.WindowReport

/**
 * Adds to EXPLAIN, for each window expression, whether Slidewise runs it and if not, why; one JSON object a line. To be
 * named in `spark.sql.extendedExplainProviders`.
 */
@Stable
class SlidewiseExplain extends ExtendedExplainGenerator {
  override def title: String = "Slidewise"

  override def generateExtendedInfo(plan: SparkPlan): String =
    WindowReport.of(plan).map(_.json).mkString("\n")
}
