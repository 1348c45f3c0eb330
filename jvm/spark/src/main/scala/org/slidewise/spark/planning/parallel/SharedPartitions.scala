package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.plans.physical.Distribution
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.{SlidingWindowExec, WindowJoinExec}

/**
 * Replaces windows with PARTITION BY, and window joins with keys, by operators that do not keep rows with equal keys together, where no
 * operator above relies on their partitions. Visits each node once.
 *
 * @param shared
 *   returns the other operator of a window or join, given the operator as it was planned, and as it is over the inputs that it reads
 *   now; none if it is to stay
 */
final private[planning] class SharedPartitions(
    conf: SQLConf,
    shared: (SparkPlan, SparkPlan) => Option[SparkPlan]
) {
  import SharedPartitions._

  /** A plan with the other operators, and the same plan in which an operator stays if one above it may rely on its partitions. */
  private case class Choice(shared: SparkPlan, unshared: SparkPlan) {
    def meets(distribution: Distribution, order: Seq[SortOrder]): Boolean =
      shared.outputPartitioning.satisfies(distribution) &&
        SortOrder.orderingSatisfies(shared.outputOrdering, order)
  }

  private object Choice {
    def only(plan: SparkPlan): Choice = Choice(plan, plan)
  }

  /**
   * The plan with the operators that `shared` returns. A window stays as it is if an operator above relies on the partition keys, or
   * the user's own `repartition` by them.
   */
  def in(plan: SparkPlan): SparkPlan =
    // Without windows, no setting is read, and an invalid one fails nothing.
    if (!plan.exists(isWindow) || !SlidewiseSettings.parallel(conf)) plan
    else choose(plan).shared

  private def choose(plan: SparkPlan): Choice = {
    val children = plan.children.map(choose)
    val below =
      if (children.forall(child => child.shared eq child.unshared))
        Choice.only(withChildren(plan, children)(_.shared))
      else above(plan, children)
    plan match {
      case _ if isWindow(plan) =>
        shared(plan, below.unshared).fold(below)(Choice(_, below.unshared))
      // Nothing above sees the partitions below.
      case _: Exchange => Choice.only(below.shared)
      case _           => below
    }
  }

  private def above(plan: SparkPlan, children: Seq[Choice]): Choice = {
    val kept = children.zip(plan.requiredChildDistribution.zip(plan.requiredChildOrdering)).map {
      case (child, (distribution, order)) =>
        if (child.meets(distribution, order)) child else Choice.only(child.unshared)
    }
    Choice(withChildren(plan, kept)(_.shared), withChildren(plan, kept)(_.unshared))
  }

  private def withChildren(plan: SparkPlan, children: Seq[Choice])(choice: Choice => SparkPlan): SparkPlan = {
    val chosen = children.map(choice)
    if (chosen.corresponds(plan.children)(_ eq _)) plan else plan.withNewChildren(chosen)
  }

}

private object SharedPartitions {

  private def isWindow(plan: SparkPlan): Boolean = plan match {
    case window: SlidingWindowExec =>
      window.partitionSpec.nonEmpty && !RepartitionAbove.of(window) && !PlacesAbove.of(window)
    case join: WindowJoinExec => join.leftKeys.nonEmpty && !RepartitionAbove.of(join)
    case _                    => false
  }
}
