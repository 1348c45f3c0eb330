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
 * Has the rows of a window with PARTITION BY, and those of a window join with keys, reach it in blocks. Where other operators read
 * the same exchange, Spark reuses the one or the other for all of them: see [[BlockExchangeExec]].
 */
private[spark] object BlockExchanges extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan =
    // Without windows, no setting is read, and an invalid one fails nothing.
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

  /** Whether the exchange is not a user's rebalancing into partitions of some size. */
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

/** An exchange by hash, as Spark plans it for an operator that needs one. */
private[planning] object Hashed {
  def unapply(plan: SparkPlan): Option[ShuffleExchangeExec] = plan match {
    case exchange: ShuffleExchangeExec if exchange.outputPartitioning.isInstanceOf[HashPartitioning] =>
      Some(exchange)
    case _ => None
  }
}
