package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Projection

/** One end of a RANGE frame: compares rows with the bound of the current row. */
abstract private[execution] class RangeBound {

  /** Moves to another current row. */
  def moveTo(current: InternalRow): Unit

  /** Compares the order key of `row` with the bound of the current row. */
  def compare(row: InternalRow, current: InternalRow): Int

  /** Whether the bound is at or before an event time; false if the order is not by time. */
  def isBy(horizon: Long): Boolean = false

  /** The bound of `current` as an event time; `Long.MaxValue` if the order is not by time. */
  def timeFor(current: InternalRow): Long = Long.MaxValue

  /** Whether the bound of the current row is after an event time. */
  def isAfter(time: Long): Boolean = throw new IllegalStateException("the order is not by time")
}

/**
 * A bound of any type, in any order. Computes the bound of a row at the first comparison, since the computation may fail.
 *
 * @param key
 *   projects a row to the columns that are compared
 * @param bound
 *   projects the current row to the bound. The result must not refer to the row itself, which may be invalid when the bound is
 *   used
 */
final private[execution] class OrderedBound(
    ordering: Ordering[InternalRow],
    key: Projection,
    bound: Projection
) extends RangeBound {
  private[this] var limit: InternalRow = _

  override def moveTo(current: InternalRow): Unit = limit = null

  override def compare(row: InternalRow, current: InternalRow): Int = {
    if (limit == null) limit = bound(current)
    ordering.compare(key(row), limit)
  }
}

/**
 * A bound of event times, which ascend and are not null. Computes the bound of a row when the row becomes the current one.
 *
 * @param ofCurrent
 *   the ordinal of the event time in the current row
 * @param ofRow
 *   the ordinal of the event time in the rows that are compared
 * @param shift
 *   the microseconds from the current row's time to the bound; none if they differ from row to row
 * @param bound
 *   projects the current row to the bound
 */
final private[execution] class TimeBound(
    ofCurrent: Int,
    ofRow: Int,
    shift: Option[Long],
    bound: => Projection
) extends RangeBound {
  private[this] lazy val computed = bound
  private[this] val isConstant = shift.isDefined
  private[this] val by = shift.getOrElse(0L)
  private[this] var limit = Long.MinValue

  override def moveTo(current: InternalRow): Unit = limit = timeFor(current)

  override def compare(row: InternalRow, current: InternalRow): Int =
    java.lang.Long.compare(row.getLong(ofRow), limit)

  override def isBy(horizon: Long): Boolean = limit <= horizon

  override def timeFor(current: InternalRow): Long = {
    val time = current.getLong(ofCurrent)
    // Where a bound overflows, Spark's expression wraps around or fails.
    if (isConstant && ((by < 0) == (time + by < time) || by == 0)) time + by else computed(current).getLong(0)
  }

  override def isAfter(time: Long): Boolean = time < limit
}
