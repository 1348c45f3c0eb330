package org.slidewise.spark.plan

import java.time.{Instant, ZoneId}
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression, TimeZoneAwareExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.util.DateTimeConstants.{MICROS_PER_DAY, MICROS_PER_SECOND}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

import org.slidewise.spark.shims.{NullForNull, SparkExpressions}

/**
 * A timestamp plus an interval, with the results and errors of Spark's addition, which creates several objects of `java.time` for
 * each row. Needs none of them where the offset of the time zone from UTC is the same before and after.
 *
 * @param interval
 *   of days and seconds, or of months, days and microseconds
 * @param timeZone
 *   the time zone in which days and months are added
 */
final case class TimestampPlusInterval(timestamp: Expression, interval: Expression, timeZone: String)
    extends BinaryExpression
    with NullForNull {
  override def left: Expression = timestamp
  override def right: Expression = interval
  override def dataType: DataType = timestamp.dataType
  override def sql: String = s"${left.sql} + ${right.sql}"
  override def toString: String = s"$left + $right"

  @transient private lazy val addition =
    new IntervalAddition(DateTimeUtils.getZoneId(if (dataType == TimestampNTZType) "UTC" else timeZone))

  override protected def nullSafeEval(time: Any, by: Any): Any = by match {
    case calendar: CalendarInterval => addition.add(time.asInstanceOf[Long], calendar)
    case dayTime                    => addition.add(time.asInstanceOf[Long], dayTime.asInstanceOf[Long])
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val adds = ctx.addReferenceObj("addition", addition)
    defineCodeGen(ctx, ev, (time, by) => s"$adds.add($time, $by)")
  }

  override protected def withNewChildrenInternal(left: Expression, right: Expression): Expression =
    copy(timestamp = left, interval = right)
}

private[spark] object TimestampPlusInterval {

  /** The expression with this addition in place of Spark's. */
  def within(e: Expression): Expression = e.transformUp { case sum: TimeZoneAwareExpression =>
    (SparkExpressions.movedTimestamp(sum), sum.timeZoneId) match {
      case (Some((timestamp, interval)), Some(timeZone)) =>
        TimestampPlusInterval(timestamp, interval, timeZone)
      case _ => sum
    }
  }
}

/** Adds intervals to timestamps, in microseconds since 1970 in UTC, on the calendar of a time zone. */
final class IntervalAddition(zone: ZoneId) extends Serializable {
  import IntervalAddition._

  @transient private lazy val offsets = ZoneOffsets.of(zone)

  /** Adds an interval in microseconds, whose whole days are added on the calendar. */
  def add(timestamp: Long, dayTime: Long): Long = {
    val days = dayTime / MICROS_PER_DAY * MICROS_PER_DAY
    val sum = timestamp + dayTime
    if (isInRange(timestamp, dayTime, sum) && offsets.agree(timestamp, timestamp + days)) sum
    else DateTimeUtils.timestampAddDayTime(timestamp, dayTime, zone)
  }

  def add(timestamp: Long, interval: CalendarInterval): Long = {
    val days = interval.days * MICROS_PER_DAY
    val onDay = timestamp + days
    val sum = onDay + interval.microseconds
    val isSum = interval.months == 0 && math.abs(interval.days.toLong) <= MostDays &&
      isInRange(timestamp, days, onDay) && isInRange(onDay, interval.microseconds, sum)
    if (isSum && offsets.agree(timestamp, onDay)) sum
    else
      DateTimeUtils.timestampAddInterval(
        timestamp,
        interval.months,
        interval.days,
        interval.microseconds,
        zone
      )
  }

  private def isInRange(a: Long, b: Long, sum: Long): Boolean = ((a ^ sum) & (b ^ sum)) >= 0L
}

private object IntervalAddition {
  private val MostDays = Long.MaxValue / MICROS_PER_DAY
}

/**
 * The times from 1900 to 2200 between which a time zone's offset from UTC changes. Days that are added to a time between two
 * changes have 24 hours as long as the sum is between the same changes: `java.time` keeps the offset of a local time that two
 * offsets allow.
 *
 * @param starts
 *   the microsecond at which each offset starts to hold, the end of the last one at the end
 */
final private class ZoneOffsets(starts: Array[Long]) {
  private[this] var last = 0 // any value is correct: threads may overwrite it

  /** Whether the offset is known to hold from one of the times to the other. */
  def agree(a: Long, b: Long): Boolean = {
    var at = last
    if (!holds(at, a)) {
      at = java.util.Arrays.binarySearch(starts, a)
      if (at < 0) at = -at - 2
      if (0 <= at && at < starts.length - 1) last = at
    }
    0 <= at && at < starts.length - 1 && holds(at, a) && holds(at, b)
  }

  private def holds(at: Int, time: Long): Boolean = starts(at) <= time && time < starts(at + 1)
}

private object ZoneOffsets {
  private val known = new ConcurrentHashMap[ZoneId, ZoneOffsets]
  private val From = Instant.parse("1900-01-01T00:00:00Z")
  private val Until = Instant.parse("2200-01-01T00:00:00Z")

  def of(zone: ZoneId): ZoneOffsets = known.computeIfAbsent(zone, changesOf(_))

  private def changesOf(zone: ZoneId): ZoneOffsets = {
    val rules = zone.getRules
    if (rules.isFixedOffset) new ZoneOffsets(Array(Long.MinValue, Long.MaxValue))
    else {
      val changes = Iterator
        .iterate(rules.nextTransition(From))(change => rules.nextTransition(change.getInstant))
        .takeWhile(change => change != null && change.getInstant.isBefore(Until))
        .map(_.getInstant)
      val starts = Iterator(From) ++ changes ++ Iterator(Until)
      new ZoneOffsets(starts.map(_.getEpochSecond * MICROS_PER_SECOND).toArray)
    }
  }
}
