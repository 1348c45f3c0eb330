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
 * Has a window without an order sort its rows after all, where an operator above needs them in the order of the partition keys:
 * Spark's window would leave them so, and a sort above is not needed then.
 */
private[spark] object PartitionOrder extends Rule[SparkPlan] {

  /** Whether the active session has the rule among its [[PreparationRules]], which a session that is running already cannot get. */
  def isOn: Boolean = SparkSession.getActiveSession.exists { session =>
    SparkSessions.of(session).sessionState.columnarRules.exists(_.isInstanceOf[PreparationRules.Columnar])
  }

  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp {
    case SortExec(order, false, child, _) if inOrder(child).exists(satisfies(_, order)) => inOrder(child).get
  }

  private def satisfies(plan: SparkPlan, order: Seq[SortOrder]): Boolean =
    SortOrder.orderingSatisfies(plan.outputOrdering, order)

  /** The plan with the window in order whose rows it returns in their order; none if there is none that groups its rows. */
  private def inOrder(plan: SparkPlan): Option[SparkPlan] = plan match {
    case window: SlidingWindowExec if window.plan.sortPlacement == SortPlacement.Unneeded =>
      Some(window.inOrder)
    case project: ProjectExec        => inOrder(project.child).map(child => project.copy(child = child))
    case filter: FilterExec          => inOrder(filter.child).map(child => filter.copy(child = child))
    case join: BroadcastHashJoinExec =>
      val (streamed, child) = if (join.buildSide == BuildRight) (0, join.left) else (1, join.right)
      inOrder(child).map(c => join.withNewChildren(join.children.updated(streamed, c)))
    case _ => None
  }
}
