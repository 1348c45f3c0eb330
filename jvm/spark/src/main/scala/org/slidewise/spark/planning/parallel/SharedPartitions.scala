package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.plans.physical.Distribution
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.{SlidingWindowExec, WindowJoinExec}

/**
 * Replaces windows with PARTITION BY, and window joins with keys, by operators that may return rows with equal keys in several
 * partitions. Keeps a window or join if an operator above relies on its partitioning. Visits each node once.
 *
 * @param shared
 *   returns the replacement of a window or join, or none if it is to stay. The arguments are the operator as Spark planned it, and
 *   the same operator over its current inputs
 */
final private[planning] class SharedPartitions(
    conf: SQLConf,
    shared: (SparkPlan, SparkPlan) => Option[SparkPlan]
) {
  import SharedPartitions._

  /**
   * Two versions of a plan: `shared` contains all replacements, `unshared` keeps each operator whose partitioning an operator above
   * may rely on.
   */
  private case class Choice(shared: SparkPlan, unshared: SparkPlan) {
    def meets(distribution: Distribution, order: Seq[SortOrder]): Boolean =
      shared.outputPartitioning.satisfies(distribution) &&
        SortOrder.orderingSatisfies(shared.outputOrdering, order)
  }

  private object Choice {
    def only(plan: SparkPlan): Choice = Choice(plan, plan)
  }

  /**
   * The plan with the replacements. A window stays if an operator above, or a user's `repartition` by its keys, relies on its
   * partitioning.
   */
  def in(plan: SparkPlan): SparkPlan =
    // A plan without windows reads no setting, so that an invalid setting does not fail the query.
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
      // An exchange hides the partitions below it from the operators above.
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
