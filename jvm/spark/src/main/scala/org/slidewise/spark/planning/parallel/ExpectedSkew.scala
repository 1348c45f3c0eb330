package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, Exchange, ShuffleExchangeExec}

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.planning.Hashed

/**
 * Has several tasks share the rows of each window with PARTITION BY, and of each window join with keys, where the user expects skewed
 * keys: the rows are shuffled once, in the order of the window, instead of by the hash of their keys. An exchange stays as it is where another operator reads the
 * same rows, so that Spark can reuse it.
 */
private[spark] object ExpectedSkew extends Rule[SparkPlan] with AdaptiveSparkPlanHelper {

  override def apply(plan: SparkPlan): SparkPlan = {
    lazy val reads = collectWithSubqueries(plan) { case exchange: Exchange => exchange.canonicalized }
      .groupBy(identity)
      .map { case (exchange, all) => exchange -> all.size }
    def isReadOnce(exchange: ShuffleExchangeExec) = reads.get(exchange.canonicalized).contains(1)
    def unpartitioned(planned: SparkPlan, now: SparkPlan) = (planned, now) match {
      case (Hashed(exchange), now: ShuffleExchangeExec)
          if exchange.shuffleOrigin == ENSURE_REQUIREMENTS && isReadOnce(exchange) =>
        Some(now.child)
      case _ => None
    }
    new SharedPartitions(
      conf,
      (operator, rows) => {
        lazy val found =
          operator.children.zip(rows).map { case (planned, now) => unpartitioned(planned, now) }
        if (!SlidewiseSettings.expectsSkew(conf) || found.forall(_.isEmpty)) None
        else Some(found.zip(rows).map { case (unshuffled, now) => unshuffled.getOrElse(now) })
      }
    ).in(plan)
  }
}
