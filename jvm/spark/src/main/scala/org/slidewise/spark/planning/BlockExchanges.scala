package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.{
  PythonSlidingWindowExec,
  PythonWindowJoinExec,
  SlidingWindowExec,
  WindowJoinExec,
  WindowTopRowsExec
}
import org.slidewise.spark.execution.exchange.BlockExchangeExec

/**
 * Replaces the hash exchange below a window with PARTITION BY, or below a window join with keys, by a [[BlockExchangeExec]], which
 * shuffles blocks of rows. If other operators read the same exchange, Spark reuses one of the two exchanges for all of them.
 */
private[spark] object BlockExchanges extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan =
    // A plan without windows reads no setting, so that an invalid setting does not fail the query.
    if (!plan.exists(isWindow) || !SlidewiseSettings.blockExchange(conf))
      plan
    else plan.transformUp { case window if isWindow(window) => withBlocks(window) }

  private def isWindow(plan: SparkPlan): Boolean = plan match {
    case _: SlidingWindowExec | _: WindowTopRowsExec | _: PythonSlidingWindowExec => true
    case _: WindowJoinExec | _: PythonWindowJoinExec                              => true
    case _                                                                        => false
  }

  private def withBlocks(window: SparkPlan): SparkPlan =
    window.mapChildren {
      case sort @ SortExec(_, false, Hashed(exchange), _) if isPlain(exchange) =>
        sort.copy(child = inBlocks(exchange))
      case Hashed(exchange) if isPlain(exchange) => inBlocks(exchange)
      case other                                 => other
    }

  /** Whether the exchange has no advisory partition size, which only a user's rebalancing sets. */
  private def isPlain(exchange: ShuffleExchangeExec) = exchange.advisoryPartitionSize.isEmpty

  private def inBlocks(exchange: ShuffleExchangeExec): BlockExchangeExec = {
    val blocks = BlockExchangeExec(
      exchange.outputPartitioning.asInstanceOf[HashPartitioning],
      exchange.child,
      exchange.shuffleOrigin
    )
    blocks.copyTagsFrom(exchange)
    blocks
  }
}

/** Matches Spark's exchange with hash partitioning. */
private[planning] object Hashed {
  def unapply(plan: SparkPlan): Option[ShuffleExchangeExec] = plan match {
    case exchange: ShuffleExchangeExec if exchange.outputPartitioning.isInstanceOf[HashPartitioning] =>
      Some(exchange)
    case _ => None
  }
}
