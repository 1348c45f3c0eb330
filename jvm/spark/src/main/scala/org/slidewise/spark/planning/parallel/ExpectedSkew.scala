package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan

import org.slidewise.spark.config.SlidewiseSettings

/**
 * Lets several tasks share the rows of each window with PARTITION BY, and of each window join with keys, if the user expects skewed
 * keys. The rows are shuffled once, in the order of the window instead of by the hash of their keys. An exchange that another
 * operator reads stays as it is, so that Spark can reuse it.
 */
private[spark] object ExpectedSkew extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan = {
    val (reads, operators) = (new ExchangeReads(plan), new SharedOperators(conf))
    new SharedPartitions(
      conf,
      (planned, now) => {
        val inputs = now.children
        lazy val found =
          planned.children.zip(inputs).map { case (planned, now) => reads.unshuffled(planned, now) }
        if (!SlidewiseSettings.expectsSkew(conf) || found.forall(_.isEmpty)) None
        else
          operators.over(now, found.zip(inputs).map { case (unshuffled, now) => unshuffled.getOrElse(now) })
      }
    ).in(plan)
  }
}
