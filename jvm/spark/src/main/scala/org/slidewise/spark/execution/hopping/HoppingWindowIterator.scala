package org.slidewise.spark.execution.hopping

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.frames.{FrameEvaluators, FrameIterator}
import org.slidewise.spark.execution.rows.RowLog
import org.slidewise.spark.execution.task.{MeasuredResource, TaskResources}

/**
 * Merges the panes of each key into its windows.
 *
 * Memory: the log keeps the panes of the current window, and older panes until the next release, which follows every 1,024
 * windows.
 *
 * @param isKept
 *   the filter on the windows, over a key and a window
 * @param output
 *   projects a key, a window and its answers to an output row
 */
final private[hopping] class HoppingWindowIterator(
    panes: PanesByKey,
    frames: PaneFrames,
    log: RowLog,
    evaluators: FrameEvaluators,
    isKept: BasePredicate,
    output: UnsafeProjection,
    measures: HoppingMeasures,
    task: TaskResources
) extends FrameIterator(evaluators, output, measures) {
  import HoppingWindowIterator.ReleaseEvery

  private[this] val window = new GenericInternalRow(2)
  private[this] val group = new JoinedRow
  private[this] var windows = 0L

  override protected def current: InternalRow = group
  override protected def isHandedOut: Boolean = true
  override protected def widestFrame: Long = frames.hi - frames.lo
  override protected def resources: Seq[MeasuredResource] = Seq(log)

  override protected def advance(): Boolean = {
    var isAtWindow = nextWindow()
    while (isAtWindow && !(panes.isAskedFor(frames.lo) && isKept.eval(group))) isAtWindow = nextWindow()
    isAtWindow
  }

  private def nextWindow(): Boolean = {
    var isAtWindow = frames.advance()
    if (!isAtWindow && panes.hasMore) {
      startKey()
      isAtWindow = frames.advance()
    }
    if (isAtWindow) {
      window.setLong(0, frames.start)
      window.setLong(1, frames.end)
      group(panes.key, window)
      windows += 1
      if (windows % ReleaseEvery == 0) release()
    }
    isAtWindow
  }

  private def startKey(): Unit = {
    panes.startKey()
    frames.reset()
    evaluators.reset()
  }

  private def release(): Unit = {
    task.stopIfCancelled()
    log.release(math.min(frames.lo, evaluators.oldestNeeded))
  }

  override protected def report(): Unit = measures.reportPanes(panes.taken, windows)
}

private[hopping] object HoppingWindowIterator {
  private val ReleaseEvery = 1024L
}
