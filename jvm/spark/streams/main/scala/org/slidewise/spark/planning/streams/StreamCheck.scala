package org.slidewise.spark.planning.streams

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.plan.{StreamInput, StreamOptions, StreamOutput, StreamRefused}

/** Checks a query with windows over streams when it starts, and makes RocksDB the default for its state. */
final class StreamCheck(session: SparkSession) extends (LogicalPlan => Unit) {
  import StreamCheck.waitsForRows

  override def apply(plan: LogicalPlan): Unit = plan match {
    case write: WriteToStream if write.exists(_.isInstanceOf[StreamOutput]) =>
      refuseAfterEndlessWait(write, isBelowState = false)
      refuseOneWatermark(write)
      StreamOptions.of(SQLConf.get) // a setting with an invalid value is an error before the query starts
      RocksDbByDefault.in(session)
      CheckpointCheck(session, write)
    case _ => ()
  }

  /**
   * Refuses a stateful operation above a window whose rows may wait for later rows without limit. The operation could not rely on
   * the watermark.
   */
  private def refuseAfterEndlessWait(node: LogicalPlan, isBelowState: Boolean): Unit = {
    node match {
      case window: Window if isBelowState && StreamInput.isBelow(window) && waitsForRows(window) =>
        throw new StreamRefused(
          StreamRefused.textOf(window.windowExpressions, window.child),
          "a frame of ROWS ends after the current row, so that rows wait for others however late it gets, and another " +
            "operation with a state follows: use RANGE with an interval, or end the frame at CURRENT ROW"
        )
      case _ => ()
    }
    val below = isBelowState || node.isInstanceOf[StreamInput] || node.isStreaming && reliesOnWatermark(node)
    node.children.foreach(refuseAfterEndlessWait(_, below))
  }

  /** Refuses several stateful operations if Spark gives all of them one watermark. All rows of one would be late for the next. */
  private def refuseOneWatermark(write: WriteToStream): Unit = {
    val key = SQLConf.STATEFUL_OPERATOR_ALLOW_MULTIPLE
    def stateful = write.collect {
      case input: StreamInput                                  => input
      case node if node.isStreaming && reliesOnWatermark(node) => node
    }
    if (!SQLConf.get.getConf(key) && stateful.size > 1)
      write.collectFirst { case window: Window if StreamInput.isBelow(window) => window }.foreach { window =>
        throw new StreamRefused(
          StreamRefused.textOf(window.windowExpressions, window.child),
          s"${key.key} is false, so that the rows of one stateful operation are late for the next one: set it to true"
        )
      }
  }

  private def reliesOnWatermark(node: LogicalPlan): Boolean = node match {
    case _: Aggregate | _: Distinct | _: DeduplicateWithinWatermark    => true
    case _: FlatMapGroupsWithState | _: FlatMapGroupsInPandasWithState => true
    case join: Join              => join.left.isStreaming && join.right.isStreaming
    case duplicates: Deduplicate => duplicates.keys.exists(_.metadata.contains(EventTimeWatermark.delayKey))
    // The class of transformWithState for Python has a different name in 4.0.
    case other => other.nodeName.startsWith("TransformWithState")
  }
}

private object StreamCheck {

  /** Whether a row of the window may wait without limit for later rows. */
  def waitsForRows(window: Window): Boolean =
    StreamPlanner
      .of(window.windowExpressions, window.partitionSpec, window.orderSpec, SQLConf.get)
      .exists(_.rowWise.waitsForRows)
}
