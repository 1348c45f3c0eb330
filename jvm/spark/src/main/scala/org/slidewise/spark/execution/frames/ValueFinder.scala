package org.slidewise.spark.execution.frames

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Projection

import org.slidewise.spark.execution.rows.RowsByPosition

/**
 * One end of the frame that a row has over the rows of another table.
 *
 * @param key
 *   projects a row of the frame to its order key
 * @param bound
 *   projects the row with this frame to the bound
 * @param keepsTies
 *   whether rows whose order key equals the bound are before this end
 */
final private[execution] class ValueBound(
    ordering: Ordering[InternalRow],
    key: Projection,
    bound: Projection,
    keepsTies: Boolean
) {
  private[this] var limit: InternalRow = _

  /** Computes the bound of `current`. False if it is null. */
  def moveTo(current: InternalRow): Boolean = {
    limit = bound(current)
    !limit.isNullAt(0)
  }

  /** Whether `row` is before this end of the frame. */
  def isAfter(row: InternalRow): Boolean = {
    val order = ordering.compare(key(row), limit)
    order < 0 || keepsTies && order == 0
  }
}

/**
 * Finds frames between two bounds that are computed from a row of another table: see [[org.slidewise.spark.plan.Frame.RowBound]].
 * All rows of the partition must have arrived.
 *
 * Searches for each end from its last place, forward or back. The number of comparisons is logarithmic in the distance.
 *
 * @param lower
 *   none if frames begin at the first row of the partition
 * @param upper
 *   none if frames end at the last row of the partition
 */
final private[execution] class ValueFinder(
    lower: Option[ValueBound],
    upper: Option[ValueBound],
    rows: RowsByPosition
) extends FrameFinder {
  private[this] var first, last = 0L
  private[this] var known = true
  private[this] var failure: Throwable = _

  override def isKnown: Boolean = known

  override def advance(
      index: Long,
      current: InternalRow,
      arrived: Long,
      complete: Boolean,
      horizon: Long
  ): Boolean = {
    if (!complete) throw new IllegalStateException("the rows of the partition have not all arrived")
    failure = null
    val from = if (arrived == 0L) -1L else endOf(lower, current, first, arrived, withoutBound = 0L)
    val until = if (from < 0L) -1L else endOf(upper, current, last, arrived, withoutBound = arrived)
    known = until >= 0L
    if (known) {
      if (failure != null && from < until) throw failure
      first = from
      last = until
      hiAt = until
      loAt = math.min(from, until)
    } else loAt = hiAt
    true
  }

  /**
   * The position of one end of the frame; -1 if its bound is null. A bound that fails counts as unbounded. Its error is thrown
   * only if the frame then has rows, as in a join.
   */
  private def endOf(
      bound: Option[ValueBound],
      current: InternalRow,
      near: Long,
      count: Long,
      withoutBound: Long
  ): Long = bound match {
    case None       => withoutBound
    case Some(some) =>
      try if (some.moveTo(current)) positionOf(some, math.min(near, count), count) else -1L
      catch {
        case NonFatal(e) =>
          failure = e
          withoutBound
      }
  }

  /** The position of the first row that is not before the bound, searched from `near`. */
  private def positionOf(bound: ValueBound, near: Long, count: Long): Long = {
    var step = 1L
    if (near < count && bound.isAfter(rows(near))) {
      var inside = near // before the bound
      while (inside + step < count && bound.isAfter(rows(inside + step))) {
        inside += step
        step *= 2
      }
      between(bound, inside + 1, math.min(inside + step, count))
    } else {
      var outside = near // not before the bound
      while (outside - step >= 0 && !bound.isAfter(rows(outside - step))) {
        outside -= step
        step *= 2
      }
      between(bound, math.max(outside - step + 1, 0L), outside)
    }
  }

  private def between(bound: ValueBound, from: Long, until: Long): Long = {
    var lo = from
    var hi = until
    while (lo < hi) {
      val middle = (lo + hi) >>> 1
      if (bound.isAfter(rows(middle))) lo = middle + 1 else hi = middle
    }
    lo
  }

  override def oldestNeeded: Long = 0L
  override def knownAt(index: Long, current: InternalRow, arrived: Long): Long = Long.MaxValue
  override def hasLeft(position: Long, time: Long): Boolean = position < loAt

  override def moveTo(lo: Long, hi: Long): Unit = {
    super.moveTo(lo, hi)
    first = lo
    last = hi
  }
}
