package org.slidewise.spark.execution.joins

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.frames._
import org.slidewise.spark.execution.rows.{PartitionKeys, RowLog}
import org.slidewise.spark.execution.surroundings.SurroundingRows
import org.slidewise.spark.execution.task.{MeasuredResource, WindowTask}
import org.slidewise.spark.plan.WindowKeys

/** One side of a window join: its rows in the order of their keys. */
final private[joins] class KeyedRows(rows: Iterator[InternalRow], val keys: PartitionKeys) {
  private[this] var row, keyOfRow: UnsafeRow = _

  /** The next row, and its key; null if there is none. */
  def next: UnsafeRow = row
  def key: UnsafeRow = keyOfRow

  /** Moves to the next row. False if there is none. */
  def advance(): Boolean = {
    row = if (rows.hasNext) rows.next().asInstanceOf[UnsafeRow] else null
    keyOfRow = if (row == null) null else keys.key(row)
    row != null
  }
}

/**
 * Both sides of a window join.
 *
 * @param order
 *   compares a left key with a right one
 */
final private[execution] class JoinSides private (
    val left: KeyedRows,
    val right: KeyedRows,
    val order: Ordering[InternalRow]
)

private[execution] object JoinSides {

  /**
   * @param leftKeys
   *   the keys of a left row, whose attributes are `left`; the same for the right side, with keys of the same types
   */
  def of(leftKeys: Seq[Expression], left: Seq[Attribute], rightKeys: Seq[Expression], right: Seq[Attribute])(
      leftRows: Iterator[InternalRow],
      rightRows: Iterator[InternalRow]
  ): JoinSides = {
    val (ofLeft, ofRight) = (WindowKeys.asBytes(leftKeys), WindowKeys.asBytes(rightKeys))
    new JoinSides(
      new KeyedRows(leftRows, PartitionKeys.of(ofLeft, left)),
      new KeyedRows(rightRows, PartitionKeys.of(ofRight, right)),
      InterpretedOrdering.forSchema(ofRight.map(_.dataType))
    )
  }
}

/**
 * Evaluates frames of the right rows for left rows, both in the order of their keys. The columns of right rows that frames need
 * are in a log, for one key at a time.
 *
 * Memory: the right rows of one key, which spill; the states of the evaluators.
 */
final private[execution] class WindowJoinIterator(
    sides: JoinSides,
    elements: JoinElements,
    evaluators: FrameEvaluators,
    repetition: Option[Repetition],
    output: Projection,
    task: WindowTask
) extends FrameIterator(evaluators, output, task.measures) {
  private[this] val left = sides.left
  private[this] val right = sides.right
  private[this] val keyOrder = sides.order
  private[this] val log = elements.log
  private[this] val finders = elements.finders
  private[this] val repeats = repetition.orNull
  private[this] val currentKey = left.keys.current
  private[this] var started, hasTaken = false
  private[this] var index, passed = 0L

  override protected def current: InternalRow = left.next
  override protected def isHandedOut: Boolean = true
  override protected def resources: Seq[MeasuredResource] = Seq(log)

  override protected def advance(): Boolean = left.advance() && {
    if (!started || !left.keys.same(left.key, currentKey)) startKey()
    var i = 0
    while (i < finders.length) {
      finders(i).advance(index, left.next, log.end, complete = true)
      i += 1
    }
    index += 1
    countRow()
    true
  }

  override protected def evaluate(): Unit = {
    val times = if (repeats == null) 1L else repeats.timesOf(left.next).getLong(0)
    if (times == 1L) super.evaluate()
    else {
      evaluators.reset() // their answers are overwritten
      repeats.frames.evaluate(times)
    }
  }

  override protected def report(): Unit = repetition.foreach(_.frames.close())

  private def startKey(): Unit = {
    if (!started) right.advance()
    started = true
    currentKey.copyFrom(left.key)
    log.clear()
    index = 0L
    finders.foreach(_.reset())
    evaluators.reset()
    while (right.next != null && keyOrder.compare(currentKey, right.key) > 0) skip()
    while (right.next != null && keyOrder.compare(currentKey, right.key) == 0) take()
    if (log.end > 0L) {
      if (!hasTaken) evaluators.startAfter(elements.around.before)
      if (right.next == null) evaluators.endBefore(elements.around.after)
      hasTaken = true
    }
  }

  private def skip(): Unit = {
    right.advance()
    countRow()
  }

  private def take(): Unit = {
    log.append(elements.summary(right.next))
    skip()
  }

  private def countRow(): Unit = {
    passed += 1
    if (passed % WindowJoinIterator.CheckEvery == 0) task.resources.stopIfCancelled()
  }

  override protected def widestFrame: Long = FrameFinder.widest(finders)
}

private object WindowJoinIterator {
  private val CheckEvery = 4096L
}

/**
 * The right rows of one key, and their frames.
 *
 * @param summary
 *   projects a right row to the columns in `log`
 * @param around
 *   the surroundings of all right rows
 */
final private[execution] class JoinElements(
    val summary: UnsafeProjection,
    val log: RowLog,
    val finders: Array[FrameFinder],
    val around: SurroundingRows
)

/**
 * The evaluation of left rows that stand for several equal rows.
 *
 * @param timesOf
 *   projects a left row to the number of rows that it stands for
 */
final private[execution] class Repetition(val timesOf: Projection, val frames: RepeatedFrames)
