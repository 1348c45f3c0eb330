package org.slidewise.spark.execution.parallel

import java.time.ZoneOffset
import java.util.concurrent.TimeUnit

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._

import org.slidewise.spark.plan.{Frame, FrameReach, SlidingWindowPlan}

/**
 * Finds the halos of a task: the rows beyond its own range that the task must read. With its halos, a task has all rows of its
 * frames, except on a side where a frame is unbounded. The distance is a number of rows for ROWS frames and a distance of the
 * order key for RANGE frames. It never goes beyond the partition. Rows that tie stay together if results depend on ties.
 */
final private[parallel] class Halos(plan: SlidingWindowPlan, reach: FrameReach, runs: Runs, order: CutOrder) {
  private[this] val partitionColumns = plan.partitionSpec.size
  private[this] val peerColumns = partitionColumns + plan.orderSpec.size

  /** The start of the rows that frames of rows after the cut may reach. */
  def before(cut: Cut): Cut = {
    val earliest =
      (runs.rowsBefore(cut, reach.rowsBefore) +: bounds.flatMap(b => Seq(b.earliest(cut), b.evaluated(cut))))
        .reduce(order.first)
    val from = order.last(order.first(earliest, cut), Cut.before(cut.key, partitionColumns))
    val dividesPeers =
      from.columns > peerColumns || from.columns == peerColumns && order.compare(from, cut) != 0
    if (reach.readsPeers && dividesPeers) Cut.before(from.key, peerColumns) else from
  }

  /** The end of the rows that frames of rows before the cut may reach. */
  def after(cut: Cut): Cut = {
    val latest = (runs.rowsAfter(cut, reach.rowsAfter) +: bounds.map(_.latest(cut))).reduce(order.last)
    val until = order.first(order.last(latest, cut), Cut.after(cut.key, partitionColumns))
    if (reach.readsPeers && until.columns >= peerColumns && order.compare(until, cut) != 0)
      Cut.after(until.key, peerColumns)
    else until
  }

  private[this] val bounds = reach.bounds.map(new KeyBound(_))

  final private class KeyBound(bound: Frame.KeyBound) {
    private[this] val column = bound.order
    private[this] val key =
      BoundReference(partitionColumns, column.child.dataType, nullable = true)
    private[this] val value = bound.of(key)

    // Adding days or months to a later time may give an earlier time: where clocks are set back, and at the end of a month.
    private[this] val ofNext: Long =
      if (bound.shift.nonEmpty) 0L
      else Halos.longestReturn(key.dataType, bound.offset.dataType, bound.timeZone)
    private[this] val margin: Long = if (column.direction == Ascending) ofNext else -ofNext

    /**
     * The start of the rows whose bounds may be beyond the bounds of rows after the cut. Such rows must be evaluated, because the
     * end of a frame never moves back from row to row.
     */
    def evaluated(cut: Cut): Cut =
      if (margin == 0L || cut.key.isNullAt(partitionColumns)) cut
      else
        try
          Cut.before(keyWith(cut, shifted(cut.key.getLong(partitionColumns), -margin)), partitionColumns + 1)
        catch { case NonFatal(_) => Cut.Start }

    def earliest(cut: Cut): Cut = at(cut, -margin).fold(Cut.Start)(Cut.before(_, partitionColumns + 1))
    def latest(cut: Cut): Cut = at(cut, margin).fold(Cut.End)(Cut.after(_, partitionColumns + 1))

    /**
     * The bound for rows with the cut's key; none if the bound is beyond the range of the type, so that the rows have no limit.
     */
    private def at(cut: Cut, shift: Long): Option[InternalRow] =
      try {
        val found = value.eval(cut.key)
        val known = found != null || cut.key.isNullAt(partitionColumns)
        if (known) Some(keyWith(cut, if (shift == 0L || found == null) found else shifted(found, shift)))
        else None
      } catch { case NonFatal(_) => None }

    private def shifted(value: Any, by: Long): Any = Math.addExact(value.asInstanceOf[Long], by)

    private def keyWith(cut: Cut, value: Any): InternalRow = {
      val partition = plan.partitionSpec.indices.map(i => cut.key.get(i, partitionTypes(i)))
      new GenericInternalRow((partition :+ value).toArray[Any])
    }
  }

  private[this] lazy val partitionTypes = order.types.take(partitionColumns)
}

private object Halos {

  /**
   * An upper bound, in microseconds, on how far a time plus an interval can be before an earlier time plus the same interval. It
   * also bounds how far apart the two times can be.
   */
  def longestReturn(key: DataType, offset: DataType, timeZone: String): Long = {
    val ofMonths = offset match {
      case _: YearMonthIntervalType | CalendarIntervalType => TimeUnit.DAYS.toMicros(4)
      case _                                               => 0L
    }
    // Months and days are added one after the other.
    val steps = if (offset == CalendarIntervalType) 2 else 1
    key match {
      case TimestampType    => ofMonths + steps * 2 * longestShift(timeZone)
      case TimestampNTZType => ofMonths
      case _                => 0L
    }
  }

  private def longestShift(timeZone: String): Long = {
    val rules = DateTimeUtils.getZoneId(timeZone).getRules
    var longest = 0
    def see(before: ZoneOffset, after: ZoneOffset): Unit =
      longest = math.max(longest, math.abs(after.getTotalSeconds - before.getTotalSeconds))
    rules.getTransitions.forEach(t => see(t.getOffsetBefore, t.getOffsetAfter))
    rules.getTransitionRules.forEach(r => see(r.getOffsetBefore, r.getOffsetAfter))
    TimeUnit.SECONDS.toMicros(longest.toLong)
  }
}
