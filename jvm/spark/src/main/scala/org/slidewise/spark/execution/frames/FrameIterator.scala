package org.slidewise.spark.execution.frames

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, Projection}

import org.slidewise.spark.execution.task.{MeasuredResource, RowMeasures}

/**
 * Evaluates the frames of one row after the other, and returns each row with its answers. A subclass finds the rows and their
 * frames: the rows of partitions, or the windows of panes.
 *
 * @param output
 *   projects a row, joined with its answers, to the output
 */
abstract private[execution] class FrameIterator(
    evaluators: FrameEvaluators,
    output: Projection,
    measures: RowMeasures
) extends AbstractIterator[InternalRow] {
  private[this] val joined = new JoinedRow
  private[this] var found, closed = false

  /** Moves to the next row, with its frames; false if there is none. */
  protected def advance(): Boolean

  /** The row that [[advance]] has moved to. */
  protected def current: InternalRow

  /** Whether the current row's answers are read. If not, the iterator does not compute them. */
  protected def isHandedOut: Boolean

  /** The number of elements in the widest frame of the current row. */
  protected def widestFrame: Long

  /** The holders of the rows and of the elements of frames. The iterator closes them. */
  protected def resources: Seq[MeasuredResource]

  /** Reports measurements of the subclass. Called once. */
  protected def report(): Unit = ()

  final override def hasNext: Boolean = {
    if (!found && !closed) found = advance()
    if (!found) close()
    found
  }

  final override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("there are no more rows")
    found = false
    if (isHandedOut) {
      val begin = measures.begin()
      evaluate()
      val row = output(joined(current, evaluators.answers))
      measures.end(begin, widestFrame)
      row
    } else output(joined(current, evaluators.answers))
  }

  /** Writes the answers for the current row. */
  protected def evaluate(): Unit = evaluators.evaluate()

  /** Skips `count` rows that have been answered elsewhere. */
  final def pass(count: Int): Unit = for (_ <- 0 until count) {
    if (!hasNext) throw new NoSuchElementException("there are no more rows")
    found = false
  }

  /** Releases memory and files, and reports the measurements. Later calls do nothing. */
  final def close(): Unit = if (!closed) {
    closed = true
    report()
    measures.reportFrames(evaluators.combines, evaluators.recalculated, evaluators.sortedPartitions)
    measures.reportMemory(
      resources.map(_.peakMemory).sum + evaluators.peakMemory,
      resources.map(_.spilledBytes).sum + evaluators.spilledBytes
    )
    resources.foreach(_.close())
    evaluators.close()
  }
}
