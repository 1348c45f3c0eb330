package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.{Ascending, SortOrder}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.window.{Final, Partial, WindowGroupLimitExec}

import org.slidewise.spark.execution.WindowTopRowsExec

/**
 * Replaces [[WindowTopRowsExec]] by Spark's `WindowGroupLimit` where the rows come in the window's order, as from a bucketed and
 * sorted table. Spark's operator then streams the rows, and needs neither a sort nor a hash table.
 *
 * If no shuffle lies between the two selections, the rule drops the first, because the second selects the same rows. Spark does the
 * same with its own operators.
 */
private[spark] object TopRowsInOrder extends Rule[SparkPlan] {
  override def apply(plan: SparkPlan): SparkPlan = plan.transformUp { case select: WindowTopRowsExec =>
    val last = if (select.mode == Final) select.copy(child = withoutFirst(select.child)) else select
    if (isInOrder(last)) bySpark(last) else last
  }

  private def withoutFirst(child: SparkPlan): SparkPlan = child match {
    case first: WindowTopRowsExec if first.mode == Partial    => first.child
    case first: WindowGroupLimitExec if first.mode == Partial => first.child
    case other                                                => other
  }

  private def bySpark(select: WindowTopRowsExec): SparkPlan = WindowGroupLimitExec(
    select.partitionSpec,
    select.orderSpec,
    select.rankLikeFunction,
    select.limit,
    select.mode,
    select.child
  )

  private def isInOrder(select: WindowTopRowsExec): Boolean = SortOrder.orderingSatisfies(
    select.child.outputOrdering,
    select.partitionSpec.map(SortOrder(_, Ascending)) ++ select.orderSpec
  )
}
