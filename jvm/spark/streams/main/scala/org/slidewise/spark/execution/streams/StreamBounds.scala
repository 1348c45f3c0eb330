package org.slidewise.spark.execution.streams

import java.nio.ByteBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.frames.FrameBounds
import org.slidewise.spark.execution.rows.RowsByPosition
import org.slidewise.spark.plan.{FrameOffset, FrameShape}

/** The bounds of the frame of one row after the other, among rows that have their place in the order of time. */
abstract private[streams] class StreamBounds extends FrameBounds {

  /**
   * Moves to the frame of the row at `position`.
   *
   * @param time
   *   the time of that row
   * @param ordered
   *   the number of rows that have their place
   * @param newest
   *   the time of the newest of these rows
   * @param horizon
   *   the time up to which no row will come any more; `Long.MaxValue` if none will come at all
   * @return
   *   false if rows may come that belong to the frame; the caller then tries again
   */
  def advance(
      position: Long,
      row: InternalRow,
      time: Long,
      ordered: Long,
      newest: Long,
      horizon: Long
  ): Boolean

  /**
   * The time after which the frame of a row is complete even if no other row has come; `Long.MaxValue` if it waits for rows.
   *
   * @param ordered
   *   the number of rows that have their place
   */
  def completeAt(position: Long, row: InternalRow, time: Long, ordered: Long): Long

  final def moveTo(lo: Long, hi: Long): Unit = {
    loAt = lo
    hiAt = hi
  }

  final def writeTo(out: StateWriter): Unit = {
    out.long(loAt)
    out.long(hiAt)
  }

  final def reopen(in: ByteBuffer): Unit = moveTo(in.getLong(), in.getLong())

  /** Whether a row before `hi` is before the frame, given its position and its time. */
  def hasLeft(position: Long, time: Long): Boolean
}

final private class StreamRowsBounds(lower: Option[Int], upper: Int) extends StreamBounds {
  def advance(
      position: Long,
      row: InternalRow,
      time: Long,
      ordered: Long,
      newest: Long,
      horizon: Long
  ): Boolean = {
    val end = math.max(position + upper + 1, 0L)
    val known = end <= ordered || horizon == Long.MaxValue
    if (known) {
      hiAt = math.min(end, ordered)
      loAt = lower.fold(0L)(l => math.min(math.max(position + l, 0L), hiAt))
    }
    known
  }

  def completeAt(position: Long, row: InternalRow, time: Long, ordered: Long): Long =
    if (position + upper + 1 <= ordered) Long.MinValue else Long.MaxValue

  def hasLeft(position: Long, time: Long): Boolean = position < loAt
}

/**
 * @param times
 *   the rows' times, by position
 * @param keepsRows
 *   whether the rows of the frame can be read; otherwise `lo` stays at 0
 */
final private class StreamRangeBounds(
    lower: Option[TimeBound],
    upper: TimeBound,
    times: RowsByPosition,
    timeField: Int,
    keepsRows: Boolean
) extends StreamBounds {

  /** The least time of the frame. */
  private[this] var first = Long.MinValue

  def advance(
      position: Long,
      row: InternalRow,
      time: Long,
      ordered: Long,
      newest: Long,
      horizon: Long
  ): Boolean = {
    val last = upper.of(row, time)
    val known = newest > last || horizon >= last
    if (known) {
      while (hiAt < ordered && times(hiAt).getLong(timeField) <= last) hiAt += 1
      if (lower.isDefined) {
        first = lower.get.of(row, time)
        while (keepsRows && loAt < hiAt && times(loAt).getLong(timeField) < first) loAt += 1
      }
    }
    known
  }

  def completeAt(position: Long, row: InternalRow, time: Long, ordered: Long): Long = upper.of(row, time)

  def hasLeft(position: Long, time: Long): Boolean = time < first
}

/** One end of a RANGE frame over time, computed from the time of the current row. */
final private class TimeBound(constant: Option[Long], general: => Projection) {
  private[this] lazy val computed = general

  def of(row: InternalRow, time: Long): Long = constant match {
    case Some(by) if (by < 0) == (time + by < time) || by == 0 => time + by
    // Where a bound overflows, Spark's expression wraps around or fails.
    case _ => computed(row).getLong(0)
  }

}

private[streams] object StreamBounds {

  /**
   * @param input
   *   the attributes of the rows that the bounds are found from
   * @param keepsRows
   *   whether the rows of the frames can be read; otherwise `lo` of RANGE frames is not found, and `hasLeft` tells which rows
   *   are in the frame
   */
  def of(
      frame: SpecifiedWindowFrame,
      order: SortOrder,
      input: Seq[Attribute],
      times: RowsByPosition,
      timeField: Int,
      timeZone: String,
      keepsRows: Boolean = true
  ): StreamBounds = {
    def range(bound: Expression): TimeBound = bound match {
      case CurrentRow => new TimeBound(Some(0L), IdentityProjection)
      case offset     =>
        new TimeBound(
          FrameOffset.constant(order, offset),
          UnsafeProjection.create(Seq(FrameOffset.add(order, offset, timeZone)), input)
        )
    }
    frame.frameType match {
      case RowFrame =>
        new StreamRowsBounds(FrameShape.rowOffset(frame.lower), FrameShape.rowOffset(frame.upper).get)
      case RangeFrame =>
        val lower = if (FrameShape.isGrowing(frame)) None else Some(range(frame.lower))
        new StreamRangeBounds(lower, range(frame.upper), times, timeField, keepsRows)
    }
  }
}
