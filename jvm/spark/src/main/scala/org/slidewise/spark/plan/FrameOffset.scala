package org.slidewise.spark.plan

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * Adds the offset of a RANGE frame to an order key.
 *
 * Chooses the same addition as Spark's window operator, so that overflow, months of different lengths and days of 23 hours give the
 * same result.
 */
private[spark] object FrameOffset {

  /** The order key of `order` moved by `offset`, in the direction of the order. */
  def add(order: SortOrder, offset: Expression, timeZone: String): Expression = {
    val key = order.child
    val signed = inDirection(order, offset)
    (key.dataType, signed.dataType) match {
      case (DateType, IntegerType)                           => DateAdd(key, signed)
      case (DateType, _: YearMonthIntervalType)              => DateAddYMInterval(key, signed)
      case (DateType, _: DayTimeIntervalType)                => DateAdd(key, ExtractANSIIntervalDays(signed))
      case (_, _: YearMonthIntervalType) if isTimestamp(key) =>
        TimestampAddYMInterval(key, signed, Some(timeZone))
      case (_, CalendarIntervalType | _: DayTimeIntervalType) if isTimestamp(key) =>
        TimestampPlusInterval(key, signed, timeZone)
      case (decimal: DecimalType, _: DecimalType) => DecimalAddNoOverflowCheck(key, signed, decimal)
      case _                                      => Add(key, signed)
    }
  }

  /**
   * The whole number that [[add]] adds to the key's value, as long as the sum is within [[range]] of the key's type. None if
   * [[add]] adds something else, such as months, or days in a zone with summer time. None if the negation of the offset
   * overflows, which is an error under ANSI.
   */
  def constant(order: SortOrder, offset: Expression, timeZone: String): Option[Long] =
    if (!offset.foldable) None
    else {
      val signed = inDirection(order, offset)
      Try(signed.eval()).toOption.flatMap(whole(order.child, signed.dataType, _, timeZone))
    }

  private def inDirection(order: SortOrder, offset: Expression): Expression =
    if (order.direction == Descending) UnaryMinus(offset) else offset

  private def whole(key: Expression, offsetType: DataType, offset: Any, timeZone: String): Option[Long] =
    (key.dataType, offsetType, offset) match {
      case (ByteType | ShortType | IntegerType | LongType, _, n: Number) => Some(n.longValue)
      case (DateType, IntegerType, days: Number)                         => Some(days.longValue)
      case (DateType, _: DayTimeIntervalType, micros: Number) => Some(micros.longValue / MICROS_PER_DAY)
      case (_, _: DayTimeIntervalType, micros: Number) if isTimestamp(key) =>
        within(key, 0, micros.longValue, timeZone)
      case (_, CalendarIntervalType, i: CalendarInterval) if isTimestamp(key) && i.months == 0 =>
        within(key, i.days, i.microseconds, timeZone)
      case _ => None
    }

  // Without changes of the offset from UTC, every day has 24 hours. Spark fails if the offset alone exceeds 64 bits.
  private def within(key: Expression, days: Int, micros: Long, timeZone: String): Option[Long] =
    if (key.dataType == TimestampNTZType || DateTimeUtils.getZoneId(timeZone).getRules.isFixedOffset)
      Some(BigInt(days) * MICROS_PER_DAY + micros).filter(_.isValidLong).map(_.longValue)
    else if (days == 0 && -MICROS_PER_DAY < micros && micros < MICROS_PER_DAY) Some(micros)
    else None

  /** The least and the greatest value of a whole-numbered type. */
  def range(kind: DataType): (Long, Long) = kind match {
    case ByteType               => (Byte.MinValue.toLong, Byte.MaxValue.toLong)
    case ShortType              => (Short.MinValue.toLong, Short.MaxValue.toLong)
    case IntegerType | DateType => (Int.MinValue.toLong, Int.MaxValue.toLong)
    case _                      => (Long.MinValue, Long.MaxValue)
  }

  /** Converts `number` to a value of the whole-numbered type `kind`, whose range must contain it. */
  def valueOf(number: Long, kind: DataType): Any = kind match {
    case ByteType               => number.toByte
    case ShortType              => number.toShort
    case IntegerType | DateType => number.toInt
    case _                      => number
  }

  private def isTimestamp(e: Expression): Boolean =
    e.dataType == TimestampType || e.dataType == TimestampNTZType
}
