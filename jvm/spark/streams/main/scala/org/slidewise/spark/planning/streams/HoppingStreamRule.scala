package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan.{HoppingLeftToSpark, HoppingQuery, HoppingStream}
import org.slidewise.spark.planning.hopping.HoppingAggregate

/**
 * Marks aggregations over hopping windows of streams for [[HoppingStreamStrategy]]. Runs after Spark's checks of output modes and
 * watermarks, and after the rules that change what an aggregation computes.
 */
object HoppingStreamRule extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming || !plan.exists(isHoppingStream)) plan
    else {
      val left = plan.collectFirst { case root: HoppingLeftToSpark => root }
      val identities = plan.collectFirst { case root: HoppingQuery => root.identities }
      val places = Iterator.from(0)
      def mark(plan: LogicalPlan): LogicalPlan = plan match {
        case marked: HoppingStream                   => marked
        case aggregate if isHoppingStream(aggregate) =>
          val place = places.next()
          val below = aggregate.mapChildren(mark)
          if (left.exists(_.isLeft(place))) below else HoppingStream(place, identities, below)
        case root: HoppingLeftToSpark => mark(root.child)
        case root: HoppingQuery       => mark(root.child)
        case other                    => other.mapChildren(mark)
      }
      if (SlidewiseSettings.enabled(SQLConf.get)) mark(plan) else plan
    }

  private def isHoppingStream(plan: LogicalPlan): Boolean = plan match {
    case aggregate: Aggregate => aggregate.isStreaming && HoppingAggregate.isHopping(aggregate)
    case _                    => false
  }
}
