package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.exchange.Exchange

/** How often the exchanges of a plan are read, which Spark writes once. */
final private[parallel] class ExchangeReads(plan: SparkPlan) extends AdaptiveSparkPlanHelper {
  private lazy val reads = collectWithSubqueries(plan) { case exchange: Exchange => exchange.canonicalized }
    .groupBy(identity)
    .map { case (exchange, all) => exchange -> all.size }

  /** Whether one operator reads the exchange. */
  def isOne(exchange: Exchange): Boolean = reads.get(exchange.canonicalized).contains(1)
}
