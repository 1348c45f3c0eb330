package org.slidewise.spark.planning

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.optimizer.BuildRight
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec

import org.slidewise.spark.execution.SlidingWindowExec
import org.slidewise.spark.plan.SortPlacement
import org.slidewise.spark.shims.SparkSessions

/**
 * Removes a sort by partition keys above a window without an order, and makes the window sort its rows instead of grouping them by
 * hash. Spark's window operator also returns its rows in the order of the partition keys.
 */
private[spark] object PartitionOrder extends Rule[SparkPlan] {

  /**
   * Whether the active session runs the rule, as one of its [[PreparationRules]]. A session that was already running when Slidewise
   * was switched on does not.
   */
  def isOn: Boolean = SparkSession.getActiveSession.exists { session =>
    SparkSessions.of(session).sessionState.columnarRules.exists(_.isInstanceOf[PreparationRules.Columnar])
  }

  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp {
    case SortExec(order, false, child, _) if inOrder(child).exists(satisfies(_, order)) => inOrder(child).get
  }

  private def satisfies(plan: SparkPlan, order: Seq[SortOrder]): Boolean =
    SortOrder.orderingSatisfies(plan.outputOrdering, order)

  /**
   * `plan` with its window sorting its rows, if a window groups rows by hash and the nodes above it keep their order. None
   * otherwise.
   */
  private def inOrder(plan: SparkPlan): Option[SparkPlan] = plan match {
    case window: SlidingWindowExec if window.plan.sortPlacement == SortPlacement.Unneeded =>
      val ordered = window.inOrder
      // Later rules find the window of the query by its tags.
      ordered.copyTagsFrom(window)
      Some(ordered)
    case _: ProjectExec | _: FilterExec =>
      inOrder(plan.children.head).map(child => plan.withNewChildren(Seq(child)))
    case join: BroadcastHashJoinExec =>
      val (streamed, child) = if (join.buildSide == BuildRight) (0, join.left) else (1, join.right)
      inOrder(child).map(c => join.withNewChildren(join.children.updated(streamed, c)))
    case _ => None
  }
}
