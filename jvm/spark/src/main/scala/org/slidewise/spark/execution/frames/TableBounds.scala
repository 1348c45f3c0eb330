package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Projection

import org.slidewise.spark.execution.rows.RowLogReader

/** The frame of the current row: `[lo, hi)`, in positions within the partition. Neither end moves back. */
abstract private[execution] class FrameBounds {
  protected var loAt, hiAt = 0L

  final def lo: Long = loAt
  final def hi: Long = hiAt
}

/** The bounds of the frame of each row of a table, found as the rows arrive. */
abstract private[execution] class TableBounds extends FrameBounds {

  /**
   * Moves to the frame of the row at `index`.
   *
   * @param current
   *   the row at `index`
   * @param arrived
   *   the number of the partition's rows in the log
   * @param complete
   *   whether these are all rows of the partition
   * @return
   *   false if rows must arrive before the frame is known; the caller then tries again
   */
  def advance(index: Long, current: InternalRow, arrived: Long, complete: Boolean): Boolean

  /** The oldest row that is read to find a later frame. */
  def oldestNeeded: Long

  /** Begins a new partition. */
  def reset(): Unit = {
    loAt = 0
    hiAt = 0
  }
}

/**
 * Frames at a distance in rows from the current one.
 *
 * @param lower
 *   rows after the current one, negative before it; none for the first row of the partition
 * @param upper
 *   rows after the current one, or none for all of them
 */
final private[execution] class RowsBounds(lower: Option[Int], upper: Option[Int]) extends TableBounds {
  private[this] val first = lower.fold(Long.MinValue / 2)(_.toLong)
  private[this] val last = upper.fold(Long.MaxValue / 2)(_.toLong)

  def advance(index: Long, current: InternalRow, arrived: Long, complete: Boolean): Boolean = {
    val end = math.max(index + last + 1, 0L)
    val known = complete || end <= arrived
    if (known) {
      hiAt = math.min(end, arrived)
      loAt = math.min(math.max(index + first, 0L), hiAt)
    }
    known
  }

  override def oldestNeeded: Long = Long.MaxValue
}

/**
 * One end of a RANGE frame. Compares rows with the bound that the current row sets.
 *
 * @param key
 *   projects a row to the columns that are compared
 * @param bound
 *   projects the current row to the bound. The result must not refer to the row itself, which may be gone when the bound is used
 */
final private[execution] class RangeBound(
    ordering: Ordering[InternalRow],
    key: Projection,
    bound: Projection
) {
  private[this] var limit: InternalRow = _

  /** Drops the bound of the last row. */
  def forget(): Unit = limit = null

  /** Compares `row` with the bound of `current`. Computes the bound at the first call, because the computation may overflow. */
  def compare(row: InternalRow, current: InternalRow): Int = {
    if (limit == null) limit = bound(current)
    ordering.compare(key(row), limit)
  }
}

/**
 * Frames at a distance in the order key from the current row. They are found as Spark finds them: first, rows before the lower
 * bound leave; then, rows that are not after the upper bound enter.
 *
 * @param lower
 *   none for the first row of the partition
 * @param upper
 *   none for all the rows that follow
 */
final private[execution] class RangeBounds(
    lower: Option[RangeBound],
    upper: Option[RangeBound],
    rows: RowLogReader
) extends TableBounds {
  private[this] var prepared = -1L

  // A second reader, so that neither end loses its place to the other.
  private[this] val entering = rows.another()

  def advance(index: Long, current: InternalRow, arrived: Long, complete: Boolean): Boolean = {
    if (prepared != index) {
      lower.foreach(_.forget())
      upper.foreach(_.forget())
      prepared = index
    }
    while (lower.isDefined && loAt < hiAt && isBefore(rows(loAt), current)) loAt += 1
    if (upper.isEmpty) enterAll(current, arrived) else enterUntil(upper.get, current, arrived)
    complete || upper.isDefined && hiAt < arrived
  }

  private def isBefore(row: InternalRow, current: InternalRow): Boolean =
    lower.isDefined && lower.get.compare(row, current) < 0

  override def oldestNeeded: Long = if (lower.isEmpty) hiAt else loAt

  private def enterUntil(bound: RangeBound, current: InternalRow, arrived: Long): Unit = {
    var inside = true
    while (inside && hiAt < arrived) {
      val row = entering(hiAt)
      inside = bound.compare(row, current) <= 0
      if (inside) {
        if (loAt == hiAt && isBefore(row, current)) loAt += 1
        hiAt += 1
      }
    }
  }

  private def enterAll(current: InternalRow, arrived: Long): Unit =
    while (hiAt < arrived) {
      if (loAt == hiAt && isBefore(entering(hiAt), current)) loAt += 1
      hiAt += 1
    }

  override def reset(): Unit = {
    super.reset()
    prepared = -1L
  }
}
