package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, Exchange, ShuffleExchangeExec}

import org.slidewise.spark.planning.Hashed

/** The number of operators that read each exchange of a plan. Spark writes an exchange once for all of them. */
final private[parallel] class ExchangeReads(plan: SparkPlan) extends AdaptiveSparkPlanHelper {
  private lazy val reads = collectWithSubqueries(plan) { case exchange: Exchange => exchange.canonicalized }
    .groupBy(identity)
    .map { case (exchange, all) => exchange -> all.size }

  /**
   * The plan below a hash exchange that Spark has planned for one operator and that no other operator reads. None for any other
   * plan.
   *
   * @param planned
   *   the exchange as Spark planned it; `now` is the same exchange over its current child
   */
  def unshuffled(planned: SparkPlan, now: SparkPlan): Option[SparkPlan] = (planned, now) match {
    case (Hashed(exchange), now: ShuffleExchangeExec)
        if exchange.shuffleOrigin == ENSURE_REQUIREMENTS && reads.get(exchange.canonicalized).contains(1) =>
      Some(now.child)
    case _ => None
  }
}
