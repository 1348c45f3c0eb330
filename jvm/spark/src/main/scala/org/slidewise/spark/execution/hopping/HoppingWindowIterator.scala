package org.slidewise.spark.execution.hopping

import java.util.NoSuchElementException

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.frames.FrameEvaluator
import org.slidewise.spark.execution.rows.{PartitionKeys, RowLog}
import org.slidewise.spark.execution.task.TaskResources

/**
 * Merges the panes of each key to its windows.
 *
 * Memory: the log keeps the panes of the current window, and older panes until the next release, which follows every 1,024
 * windows.
 *
 * @param partials
 *   one row for each key and pane; the panes of a key are adjacent and in the order of time
 * @param pane
 *   projects an input row to the start of its pane and its aggregation buffers, the columns of the log
 * @param paneField
 *   the ordinal of the start of the pane in an input row
 * @param touchedField
 *   the ordinal of a boolean in an input row; the output then has only windows with a pane for which it is true
 * @param isKept
 *   the filter on the windows, over a key and a window
 * @param output
 *   projects a key, a window and its answers to an output row
 */
final private[hopping] class HoppingWindowIterator(
    partials: Iterator[InternalRow],
    keys: PartitionKeys,
    pane: UnsafeProjection,
    paneField: Int,
    log: RowLog,
    touchedField: Option[Int],
    framesOf: PaneSource => PaneFrames,
    evaluatorsOf: PaneFrames => Seq[FrameEvaluator],
    answers: InternalRow,
    isKept: BasePredicate,
    output: UnsafeProjection,
    measures: HoppingMeasures,
    resources: TaskResources
) extends AbstractIterator[InternalRow] {
  import HoppingWindowIterator.ReleaseEvery

  private[this] val panes = new Panes
  private[this] val frames = framesOf(panes)
  private[this] val evaluators = evaluatorsOf(frames).toArray

  private[this] val window = new GenericInternalRow(2)
  private[this] val group = new JoinedRow
  private[this] val joined = new JoinedRow

  private[this] var fetched, fetchedKey: UnsafeRow = _ // the next input row, not yet in the log
  private[this] var started, found, closed = false
  private[this] var windows, taken = 0L
  private[this] val touches = touchedField.getOrElse(-1)
  private[this] var lastTouched = -1L // the position of the last touched pane of the current key

  /** The panes of the current key. */
  final private class Panes extends PaneSource {
    private[this] val reader = log.reader()

    override def startAt(position: Long): Long = reader(position).getLong(0)
    override def hasNext: Boolean = fetched != null && keys.same(fetchedKey, keys.current)
    override def nextStart: Long = fetched.getLong(paneField)
    override def take(): Unit = {
      if (touches >= 0 && fetched.getBoolean(touches)) lastTouched = frames.hi
      log.append(pane(fetched))
      taken += 1
      fetch()
    }
  }

  private def fetch(): Unit =
    if (partials.hasNext) {
      fetched = partials.next().asInstanceOf[UnsafeRow]
      fetchedKey = keys.key(fetched)
    } else {
      fetched = null
      fetchedKey = null
    }

  override def hasNext: Boolean = {
    if (!found && !closed) found = advance()
    if (!found) close()
    found
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("there are no more windows")
    found = false
    var i = 0
    while (i < evaluators.length) {
      evaluators(i).evaluate()
      i += 1
    }
    measures.countRow()
    output(joined(group, answers))
  }

  /** Moves to the next window of the output; false if there is none. */
  private def advance(): Boolean = {
    if (!started) {
      started = true
      fetch()
      if (fetched != null) startKey()
    }
    var isAtWindow = nextWindow()
    while (isAtWindow && !(isTouched && isKept.eval(group))) isAtWindow = nextWindow()
    isAtWindow
  }

  private def isTouched: Boolean = touches < 0 || lastTouched >= frames.lo

  private def nextWindow(): Boolean = {
    var isAtWindow = frames.advance()
    if (!isAtWindow && fetched != null) {
      startKey()
      isAtWindow = frames.advance()
    }
    if (isAtWindow) {
      window.setLong(0, frames.start)
      window.setLong(1, frames.end)
      group(keys.current, window)
      windows += 1
      if (windows % ReleaseEvery == 0) release()
    }
    isAtWindow
  }

  private def startKey(): Unit = {
    keys.current.copyFrom(fetchedKey)
    log.clear()
    lastTouched = -1L
    frames.reset()
    evaluators.foreach(_.reset())
  }

  private def release(): Unit = {
    resources.stopIfCancelled()
    log.release(math.min(frames.lo, FrameEvaluator.oldestNeeded(evaluators)))
  }

  /** Releases memory and files, and reports the metrics. Idempotent. */
  def close(): Unit = if (!closed) {
    closed = true
    measures.report(taken, windows, evaluators.toSeq)
    measures.reportMemory(log.peakMemory + evaluators.map(_.peakMemory).sum, log.spilledBytes)
    log.close()
    evaluators.foreach(_.close())
  }
}

private[hopping] object HoppingWindowIterator {
  private val ReleaseEvery = 1024L
}
