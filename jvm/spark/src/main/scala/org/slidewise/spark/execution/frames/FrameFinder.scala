package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow

import org.slidewise.spark.execution.rows.RowsByPosition

/**
 * The frame of the current row: `[lo, hi)`, in positions within the partition. Only frames over the rows of another table can
 * move back.
 */
abstract private[execution] class FrameBounds {
  protected var loAt, hiAt = 0L

  final def lo: Long = loAt
  final def hi: Long = hiAt

  /** Whether the row has a frame. A row without one has the results over no rows. */
  def isKnown: Boolean = true
}

/** Finds the frame of one row after the other, while the rows of the partition arrive in order. */
abstract private[execution] class FrameFinder extends FrameBounds {

  /**
   * Moves to the frame of the row at `index`.
   *
   * @param current
   *   the row at `index`
   * @param arrived
   *   the number of the partition's rows that have arrived
   * @param complete
   *   whether these are all rows of the partition
   * @param horizon
   *   the event time up to which no row will arrive any more; `Long.MinValue` if none is known
   * @return
   *   false if rows must arrive before the frame is known; the caller then tries again
   */
  def advance(
      index: Long,
      current: InternalRow,
      arrived: Long,
      complete: Boolean,
      horizon: Long = Long.MinValue
  ): Boolean

  /** The oldest row that is read to find the frame of a later row. */
  def oldestNeeded: Long

  /** The horizon at which the frame of a row is known even if no other row arrives; `Long.MaxValue` if it waits for rows. */
  def knownAt(index: Long, current: InternalRow, arrived: Long): Long

  /** Whether a row before `hi` is before the frame, given its position and its event time. */
  def hasLeft(position: Long, time: Long): Boolean

  /** Continues from the frame `[lo, hi)`. */
  def moveTo(lo: Long, hi: Long): Unit = {
    loAt = lo
    hiAt = hi
  }

  /** Begins a new partition. */
  final def reset(): Unit = moveTo(0L, 0L)
}

private[execution] object FrameFinder {

  /** The number of elements in the widest of the current frames. */
  def widest(finders: Array[FrameFinder]): Long = {
    var widest = 0L
    var i = 0
    while (i < finders.length) {
      widest = math.max(widest, finders(i).hi - finders(i).lo)
      i += 1
    }
    widest
  }
}

/** Finds frames at a distance in rows: see [[org.slidewise.spark.plan.Frame.Rows]]. */
final private[execution] class RowsFinder(lower: Option[Int], upper: Option[Int]) extends FrameFinder {
  private[this] val first = lower.fold(Long.MinValue / 2)(_.toLong)
  private[this] val last = upper.fold(Long.MaxValue / 2)(_.toLong)

  override def advance(
      index: Long,
      current: InternalRow,
      arrived: Long,
      complete: Boolean,
      horizon: Long
  ): Boolean = {
    val known = complete || endOf(index) <= arrived
    if (known) {
      hiAt = math.min(endOf(index), arrived)
      loAt = math.min(math.max(index + first, 0L), hiAt)
    }
    known
  }

  private def endOf(index: Long): Long = math.max(index + last + 1, 0L)

  override def oldestNeeded: Long = Long.MaxValue

  override def knownAt(index: Long, current: InternalRow, arrived: Long): Long =
    if (endOf(index) <= arrived) Long.MinValue else Long.MaxValue

  override def hasLeft(position: Long, time: Long): Boolean = position < loAt
}

/**
 * Finds frames between two bounds of the order key: see [[org.slidewise.spark.plan.Frame.Range]]. As in Spark, rows before the lower
 * bound leave first, and then rows that are not after the upper bound enter.
 *
 * @param lower
 *   the bound at which frames begin; none if they begin at the first row of the partition
 * @param upper
 *   the bound at which frames end; none if they end at the last row of the partition
 * @param newReader
 *   creates a reader of the rows
 * @param findsFirst
 *   whether `lo` is found; otherwise it stays at 0, and only [[hasLeft]] tells which rows are before the frame
 */
final private[execution] class RangeFinder(
    lower: Option[RangeBound],
    upper: Option[RangeBound],
    newReader: () => RowsByPosition,
    findsFirst: Boolean = true
) extends FrameFinder {
  private[this] var prepared = -1L
  private[this] val least = lower.orNull
  private[this] val most = upper.orNull
  private[this] val leaves = findsFirst && lower.isDefined

  // One reader for each end, so that each keeps its position.
  private[this] val entering = newReader()
  private[this] val leaving = if (leaves) newReader() else null

  override def advance(
      index: Long,
      current: InternalRow,
      arrived: Long,
      complete: Boolean,
      horizon: Long
  ): Boolean = {
    if (prepared != index) {
      if (least != null) least.moveTo(current)
      if (most != null) most.moveTo(current)
      prepared = index
    }
    while (leaves && loAt < hiAt && least.compare(leaving(loAt), current) < 0) loAt += 1
    enter(current, arrived)
    complete || most != null && (hiAt < arrived || most.isBy(horizon))
  }

  private def enter(current: InternalRow, arrived: Long): Unit = {
    var inside = true
    while (inside && hiAt < arrived) {
      val mayLeave = leaves && loAt == hiAt
      val row = if (most != null || mayLeave) entering(hiAt) else null
      inside = most == null || most.compare(row, current) <= 0
      if (inside) {
        if (mayLeave && least.compare(row, current) < 0) loAt += 1
        hiAt += 1
      }
    }
  }

  override def oldestNeeded: Long = if (least == null) hiAt else loAt

  override def knownAt(index: Long, current: InternalRow, arrived: Long): Long =
    if (most == null) Long.MaxValue else most.timeFor(current)

  override def hasLeft(position: Long, time: Long): Boolean = least != null && least.isAfter(time)

  override def moveTo(lo: Long, hi: Long): Unit = {
    super.moveTo(lo, hi)
    prepared = -1L
  }
}
