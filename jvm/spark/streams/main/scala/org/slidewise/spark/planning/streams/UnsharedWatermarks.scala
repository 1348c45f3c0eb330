package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

import org.slidewise.spark.execution.streams.{StreamingSlidingWindowExec, UnsharedWatermarkExec}
import org.slidewise.spark.execution.streams.hopping.HoppingWindowStateExec
import org.slidewise.spark.shims.SparkStreaming.EventTimeWatermarkExec

/**
 * Gives each stateful operator of a query its own path to its watermark. Spark computes the watermarks of a batch from the plan
 * of the batch before, and finds none below a reused exchange. An operator there would emit its rows late, or never, and the next
 * operator would drop them.
 *
 * Cost: a query that reads one stream several times shuffles it each time. Exchanges without a watermark are still reused.
 */
private[streams] object UnsharedWatermarks extends ColumnarRule {

  override val preColumnarTransitions: Rule[SparkPlan] = new Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan =
      if (plan.exists(isOurs) && watermarksOf(plan) > 1) separated(plan) else plan
  }

  private def isOurs(plan: SparkPlan): Boolean = plan match {
    case _: StreamingSlidingWindowExec | _: HoppingWindowStateExec => true
    case _                                                         => false
  }

  private def watermarksOf(plan: SparkPlan): Int =
    plan.collect { case watermark: EventTimeWatermarkExec => watermark }.size

  private def separated(plan: SparkPlan): SparkPlan = {
    val numbers = Iterator.from(0)
    plan.transformUp { case watermark: EventTimeWatermarkExec =>
      UnsharedWatermarkExec(numbers.next(), watermark)
    }
  }
}
