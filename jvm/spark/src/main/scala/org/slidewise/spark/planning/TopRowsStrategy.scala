package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, WindowGroupLimit}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.window.{Final, Partial, WindowGroupLimitMode}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.core.selection.FirstRows
import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.WindowTopRowsExec
import org.slidewise.spark.families.Families
import org.slidewise.spark.plan.{RankKind, StreamInput, WindowKeys}

/**
 * Plans `WindowGroupLimit`, which Spark's optimizer puts below a window whose ranks a filter limits, as [[WindowTopRowsExec]] before
 * and after the shuffle. If planning fails, the strategy logs a warning and Spark plans the node.
 *
 * Windows without partition keys stay with Spark, whose sort leaves ties in an order of its own; see [[WindowPlanner]].
 */
object TopRowsStrategy extends SparkStrategy {

  /**
   * The largest limit that Slidewise evaluates. A row that displaces others may move as many values as the limit. By default, Spark
   * plans the node for limits up to 1000.
   */
  private val LargestLimit = 4096

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case limit: WindowGroupLimit if isEnabled && !StreamInput.isBelow(limit.child) =>
      PlanningFailure.leaveToSpark("a top-n")(operators(limit))(_ => Nil)
    case _ => Nil
  }

  private def isEnabled: Boolean = SlidewiseSettings.topRows(SQLConf.get)

  private def operators(node: WindowGroupLimit): Seq[SparkPlan] =
    firstRows(node.rankLikeFunction)
      .filter(_ => node.partitionSpec.nonEmpty && WindowKeys.haveBytes(node.partitionSpec))
      .filter(_ => node.limit <= LargestLimit)
      .toSeq
      .map { first =>
        def select(mode: WindowGroupLimitMode, child: SparkPlan) = WindowTopRowsExec(
          node.partitionSpec,
          node.orderSpec,
          node.rankLikeFunction,
          first,
          node.limit,
          mode,
          child
        )
        select(Final, select(Partial, planLater(node.child)))
      }

  private def firstRows(rank: Expression): Option[FirstRows] = Families.of(rank).rank.collect {
    case RankKind.RowNumber => FirstRows.ByRowNumber
    case RankKind.Rank      => FirstRows.ByRank
    case RankKind.DenseRank => FirstRows.ByDenseRank
  }
}
