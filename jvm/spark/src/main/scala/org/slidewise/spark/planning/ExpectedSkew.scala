package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, Exchange, ShuffleExchangeExec}

import org.slidewise.spark.config.SlidewiseSettings

/**
 * Has several tasks share the rows of each window with PARTITION BY where the user expects skewed keys: its rows are shuffled once,
 * in the order of the window, instead of by the hash of their keys. An exchange stays as it is where another operator reads the
 * same rows, so that Spark can reuse it.
 */
private[spark] object ExpectedSkew extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = {
    lazy val exchanges = plan.collect { case exchange: Exchange => exchange.canonicalized }
    def isReadOnce(exchange: ShuffleExchangeExec) = exchanges.count(_ == exchange.canonicalized) == 1
    SharedPartitions.in(plan, conf)(_.child match {
      case Hashed(exchange)
          if SlidewiseSettings.expectsSkew(conf) &&
            exchange.shuffleOrigin == ENSURE_REQUIREMENTS && isReadOnce(exchange) =>
        Some(exchange.child)
      case _ => None
    })
  }
}
