package org.slidewise.spark.plan

import java.time.zone.{ZoneOffsetTransition, ZoneOffsetTransitionRule, ZoneRules}

import org.apache.spark.sql.catalyst.util.DateTimeConstants._
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * The greatest elapsed time that an interval adds to an event time. [[FrameOffset.add]] adds months and days on the calendar of the
 * time zone, so the elapsed time depends on where the addition begins.
 *
 * @param nominal
 *   the elapsed time in microseconds, with days of 24 hours and the longest months
 * @param steps
 *   the number of steps on the calendar, each of which a change of the clocks may lengthen
 * @param rules
 *   the rules of the time zone; none if the clocks never change
 */
final class TimeReach private (nominal: Long, steps: Int, rules: Option[ZoneRules]) extends Serializable {
  import TimeReach._

  @transient private[this] var known: Shift = _

  /** The longest elapsed time in microseconds of an addition that starts or ends at `time`; negative if the interval is. */
  def longest(time: Long): Long = rules.fold(nominal)(r => plus(nominal, steps * shiftAround(time, r)))

  /** The longest elapsed time in microseconds of all additions. */
  def longestEver: Long =
    rules.fold(nominal)(r => plus(nominal, steps * largestShift(r, FirstTime, LastTime)))

  /** The largest shift of the clocks around `time`, in microseconds. Reuses the last result for a time of the same era. */
  private def shiftAround(time: Long, rules: ZoneRules): Long = {
    val era = time >> EraBits
    if (known == null || known.era != era) {
      val margin = plus(math.abs(nominal), Margin)
      val first = plus(startOfEra(time), -margin)
      known = new Shift(era, largestShift(rules, first, plus(startOfEra(time), plus(1L << EraBits, margin))))
    }
    known.micros
  }
}

object TimeReach {

  /** The reach of a bound without an interval. */
  val Zero: TimeReach = new TimeReach(0L, 0, None)

  /** The start of the era of `time`. All times of an era have the same longest reach. */
  def startOfEra(time: Long): Long = time >> EraBits << EraBits

  /** The longest time from a row to a bound after it; negative if the bound is before the row. */
  def after(bound: Frame.Bound): TimeReach = of(bound, Parts.of)

  /** The longest time from a row back to a bound before it; negative if the bound is after the row. */
  def before(bound: Frame.Bound): TimeReach = of(bound, Parts.of(_).negated)

  private def of(bound: Frame.Bound, parts: Any => Parts): TimeReach =
    bound match {
      case Frame.KeyBound(order, offset, timeZone) =>
        val Parts(months, days, micros) = parts(offset.eval())
        val rules =
          if (order.child.dataType == TimestampNTZType || months == 0 && days == 0) None
          else Some(DateTimeUtils.getZoneId(timeZone).getRules).filter(!_.isFixedOffset)
        val nominal = plus(times(mostDays(months) + days, MICROS_PER_DAY), micros)
        new TimeReach(nominal, Seq(months, days).count(_ != 0L), rules)
      case _ => Zero
    }

  /** An interval as [[FrameOffset.add]] splits it. */
  final private case class Parts(months: Long, days: Long, micros: Long) {
    def negated: Parts = Parts(-months, -days, -micros)
  }

  private object Parts {
    def of(interval: Any): Parts = interval match {
      case i: CalendarInterval => Parts(i.months.toLong, i.days.toLong, i.microseconds)
      case micros: Long        => Parts(0L, micros / MICROS_PER_DAY, micros % MICROS_PER_DAY)
      case months: Int         => Parts(months.toLong, 0L, 0L)
      case other               => throw new IllegalStateException(s"$other is not an interval")
    }
  }

  /**
   * An upper bound on the signed number of days in `months` months. If `months` is negative, the magnitude of the result is at most
   * the number of days.
   */
  private def mostDays(months: Long): Long = {
    val (years, rest) = (months / MONTHS_PER_YEAR, months % MONTHS_PER_YEAR)
    if (months >= 0) 365 * years + (years + 3) / 4 + 31 * rest else 365 * years + 28 * rest
  }

  final private class Shift(val era: Long, val micros: Long)

  // An era is about 50 days. Both ends of an addition lie within the length of the interval and the margin around its start or end.
  private val EraBits = 42

  // The rules of time zones begin in the 19th century, and repeat each year from 2037 on.
  private val FirstTime = -200L * 365 * MICROS_PER_DAY
  private val LastTime = 200L * 365 * MICROS_PER_DAY
  private val Margin = 10 * MICROS_PER_DAY

  /** The largest difference between two UTC offsets of a zone from the time `first` to the time `last`, in microseconds. */
  private def largestShift(rules: ZoneRules, first: Long, last: Long): Long = {
    val (from, until) = (DateTimeUtils.microsToInstant(first), DateTimeUtils.microsToInstant(last))
    val changes = rules.getTransitions.toArray(Array.empty[ZoneOffsetTransition]).toSeq
    val past = changes.filter(c => c.getInstant.isAfter(from) && !c.getInstant.isAfter(until))
    // After the last listed transition, the same yearly transitions repeat.
    val yearly =
      if (changes.lastOption.exists(_.getInstant.isAfter(until))) Nil
      else rules.getTransitionRules.toArray(Array.empty[ZoneOffsetTransitionRule]).toSeq
    val offsets = rules.getOffset(from) +:
      (past.map(_.getOffsetAfter) ++ yearly.flatMap(r => Seq(r.getOffsetBefore, r.getOffsetAfter)))
    val seconds = offsets.map(_.getTotalSeconds)
    (seconds.max - seconds.min) * MICROS_PER_SECOND
  }

  /** The sum, saturated at the range of a long. */
  def plus(a: Long, b: Long): Long = {
    val sum = a + b
    if (((a ^ sum) & (b ^ sum)) >= 0) sum else if (a < 0) Long.MinValue else Long.MaxValue
  }

  /** The product, saturated at the range of a long. */
  def times(a: Long, b: Long): Long =
    if (math.abs(a) <= Long.MaxValue / b) a * b else if (a < 0) Long.MinValue else Long.MaxValue
}
