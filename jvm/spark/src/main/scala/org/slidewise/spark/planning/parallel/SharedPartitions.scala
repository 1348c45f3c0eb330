package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.plans.physical.Distribution
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.{SlidingWindowExec, WindowJoinExec}
import org.slidewise.spark.execution.parallel.{ParallelJoinExec, ParallelWindowExec, PlanDeterminism}
import org.slidewise.spark.planning.WindowPlanner

/**
 * Lets several tasks share the rows of windows with PARTITION BY, and of window joins with keys, where no operator above relies on
 * their partitions. Visits each node once.
 *
 * @param rows
 *   returns the rows of each input of a window or join, given the operator and the inputs that it reads now; these rows need not be
 *   partitioned; none if it is not to be shared
 */
final private[planning] class SharedPartitions(
    conf: SQLConf,
    rows: (SparkPlan, Seq[SparkPlan]) => Option[Seq[SparkPlan]]
) {
  import SharedPartitions._

  private val determinism = new PlanDeterminism

  /**
   * A plan in which windows are shared, and the same plan in which a window is not shared if an operator above may rely on its
   * partitions.
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
   * The plan in which tasks share the rows of each window for which `rows` returns rows. A window stays as it is if an operator
   * above relies on the partition keys, or the user's own `repartition` by them; if one task must evaluate a partition; or if a
   * task that runs again may have other rows.
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
        rows(plan, below.unshared.children)
          .flatMap(share(below.unshared, _))
          .fold(below)(Choice(_, below.unshared))
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

  private def share(plan: SparkPlan, rows: Seq[SparkPlan]): Option[SparkPlan] = plan match {
    case window: SlidingWindowExec => shareWindow(window, rows.head)
    case join: WindowJoinExec      => shareJoin(join, rows.head, rows(1))
    case _                         => None
  }

  private def shareJoin(join: WindowJoinExec, left: SparkPlan, right: SparkPlan): Option[SparkPlan] =
    if (
      ParallelPlanner.reasonNot(join.plan).isEmpty &&
      ParallelJoinExec.allows(join.plan, determinism.of(left), determinism.of(right))
    ) {
      val shared = ParallelJoinExec.over(left, right, join.plan, ParallelPlanner.limits(conf))
      (shared +: shared.children).foreach(_.copyTagsFrom(join))
      Some(shared)
    } else None

  private def shareWindow(window: SlidingWindowExec, rows: SparkPlan): Option[SparkPlan] = {
    val planner =
      new WindowPlanner(
        conf,
        window.partitionSpec,
        window.orderSpec,
        window.plan.sortOrder,
        mayUseArrays = AcrossTasks.inArrays(_).isEmpty
      )
    val planned = planner.plan(window.windowExpression)
    planned.operator
      .filter(_ => ParallelPlanner.reasonNot(conf, planned).isEmpty)
      .filter(operator => determinism.of(rows).exists(_.allows(operator)))
      .map { operator =>
        val shared = ParallelWindowExec.over(rows, operator, ParallelPlanner.limits(conf))
        // Adaptive execution keeps the window with the exchange, which it would replace by one by hash otherwise.
        Seq(shared.child, shared).foreach(_.copyTagsFrom(window))
        if (shared.output == window.output) shared
        else {
          val ordered = ProjectExec(window.output, shared)
          ordered.copyTagsFrom(window)
          ordered
        }
      }
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
