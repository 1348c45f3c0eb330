package org.slidewise.spark.planning.streams

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnsupportedOperationChecker
import org.apache.spark.sql.catalyst.expressions.RowFrame
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.plan.{FrameShape, StreamInput, StreamOutput, StreamRefused, WindowPlan}

/** What is settled when a query with windows over streams is started: whether it can be, and where its state is kept. */
final class StreamCheck(session: SparkSession) extends (LogicalPlan => Unit) with Logging {
  import StreamCheck._

  override def apply(plan: LogicalPlan): Unit = plan match {
    case write: WriteToStream if write.exists(_.isInstanceOf[StreamOutput]) =>
      refuseAfterEndlessWait(write, isBelowState = false)
      preferRocksDb()
    case _ => ()
  }

  /** A row may wait for others of its key for ever; an operation after it could then not rely on the watermark. */
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
    val below =
      isBelowState || node.isInstanceOf[StreamInput] || UnsupportedOperationChecker.isStatefulOperation(node)
    node.children.foreach(refuseAfterEndlessWait(_, below))
  }

  private def waitsForRows(window: Window): Boolean =
    window.getTagValue(WindowPlan.Tag).exists(_.stages.exists(_.frames.exists { plan =>
      plan.frame.frameType == RowFrame && FrameShape.looksAhead(plan.frame)
    }))

  /** Spark's default holds all state in memory. A checkpoint keeps the store that it was begun with. */
  private def preferRocksDb(): Unit = {
    val set = SQLConf.get
    if (!set.contains(SQLConf.STATE_STORE_PROVIDER_CLASS.key)) {
      logInfo(
        "A window over a stream keeps its state in RocksDB, since the session names no other state store"
      )
      session.conf.set(SQLConf.STATE_STORE_PROVIDER_CLASS.key, RocksDb)
      if (!set.contains(Changelog)) session.conf.set(Changelog, "true")
    }
  }
}

private object StreamCheck {
  val RocksDb = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
  val Changelog = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
}
