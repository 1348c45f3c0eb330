package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.exchange.{Exchange, ShuffleExchangeExec}

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.{PythonSlidingWindowExec, SlidingWindowExec, WindowTopRowsExec}
import org.slidewise.spark.execution.exchange.BlockExchangeExec

/**
 * Has the rows of a window with PARTITION BY reach it in blocks. Where another operator reads the same exchange, Spark can reuse
 * it, and nothing changes.
 */
private[spark] object BlockExchanges extends Rule[SparkPlan] {

  override def apply(plan: SparkPlan): SparkPlan =
    // Without windows, no setting is read, and an invalid one fails nothing.
    if (!plan.exists(isWindow) || !SlidewiseSettings.enabled(conf) || !SlidewiseSettings.blockExchange(conf))
      plan
    else {
      lazy val read = readByOthers(plan)
      // From the top, so that the exchanges below are as they were when they are compared.
      plan.transformDown { case window if isWindow(window) => withBlocks(window, read) }
    }

  private def isWindow(plan: SparkPlan): Boolean = plan match {
    case _: SlidingWindowExec | _: WindowTopRowsExec | _: PythonSlidingWindowExec => true
    case _                                                                        => false
  }

  private def withBlocks(window: SparkPlan, readByOthers: => Set[SparkPlan]): SparkPlan =
    window.mapChildren {
      case sort @ SortExec(_, false, Hashed(exchange), _) if !readByOthers(exchange.canonicalized) =>
        sort.copy(child = inBlocks(exchange))
      case Hashed(exchange) if !readByOthers(exchange.canonicalized) => inBlocks(exchange)
      case other                                                     => other
    }

  /** What operators other than windows read of the exchanges and stages of a plan. */
  private def readByOthers(plan: SparkPlan): Set[SparkPlan] = {
    val ofWindows = plan
      .collect { case window if isWindow(window) => window.children }
      .flatten
      .map {
        case SortExec(_, false, Hashed(exchange), _) => exchange
        case child                                   => child
      }
    plan.collect {
      case exchange: Exchange if !ofWindows.exists(_ eq exchange) => exchange.canonicalized
      case stage: QueryStageExec                                  => stage.canonicalized
    }.toSet
  }

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
