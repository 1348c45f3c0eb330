package org.slidewise.spark.planning.joins

import java.time.Instant
import java.util.Locale

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.DateTimeConstants._
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

import org.slidewise.spark.expressions.ArithmeticErrors
import org.slidewise.spark.plan.FrameOffset
import org.slidewise.spark.shims.CommonExpressions

/** Properties of operations on whole numbers and times that decide whether a condition can be solved for an operand. */
private[joins] object ExactArithmetic {

  /** Whether the values of the type are whole numbers, so that the distance of two values is exact. */
  def isWhole(dataType: DataType): Boolean = dataType match {
    case DateType | TimestampType | TimestampNTZType | _: DayTimeIntervalType => true
    case other                                                                => isInteger(other)
  }

  def isInteger(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _                                             => false
  }

  def isTimestamp(e: Expression): Boolean = e.dataType == TimestampType || e.dataType == TimestampNTZType

  /** The expression as the optimizer leaves it: with its replacement, and without a cast to its own type. */
  def inlined(e: Expression): Expression = e match {
    case cast: Cast if cast.child.dataType == cast.dataType => inlined(cast.child)
    case replaceable: RuntimeReplaceable => inlined(CommonExpressions.inlined(replaceable.replacement))
    case other                           => other
  }

  /** Whether a sum or difference of whole numbers never wraps around: it fails on overflow, or cannot overflow. */
  def neverWraps(e: Expression): Boolean = isWhole(e.dataType) && {
    val (least, greatest) = FrameOffset.range(e.dataType)
    val (low, high) = exact(e)
    ArithmeticErrors.mayOccur(e) || low >= least && high <= greatest
  }

  /** The least and the greatest value that the expression may have if it does not overflow. */
  private def exact(e: Expression): (BigInt, BigInt) = e match {
    case Add(a, b, _)      => plus(range(a), range(b))
    case DateAdd(a, b)     => plus(range(a), range(b))
    case Subtract(a, b, _) => minus(range(a), range(b))
    case DateSub(a, b)     => minus(range(a), range(b))
    case DateDiff(a, b)    => minus(range(a), range(b))
    case other             => range(other)
  }

  private def plus(a: (BigInt, BigInt), b: (BigInt, BigInt)) = (a._1 + b._1, a._2 + b._2)
  private def minus(a: (BigInt, BigInt), b: (BigInt, BigInt)) = (a._1 - b._2, a._2 - b._1)

  private def range(e: Expression): (BigInt, BigInt) = {
    val (least, greatest) = FrameOffset.range(e.dataType)
    val ofType = (BigInt(least), BigInt(greatest))
    def within(bounds: (BigInt, BigInt)) = if (bounds._1 < least || bounds._2 > greatest) ofType else bounds
    def quotient(by: Long) = within((BigInt(Long.MinValue) / by - 1, BigInt(Long.MaxValue) / by + 1))
    inlined(e) match {
      case constant if constant.foldable =>
        Try(constant.eval()).toOption
          .collect { case n: Number => BigInt(n.longValue) }
          .fold(ofType)(n => (n, n))
      case cast: Cast =>
        cast.child.dataType match {
          case from if isInteger(from)                                       => within(range(cast.child))
          case TimestampType if cast.dataType == LongType                    => quotient(MICROS_PER_SECOND)
          case TimestampType | TimestampNTZType if cast.dataType == DateType => quotient(MICROS_PER_DAY)
          case _                                                             => ofType
        }
      case UnixTimestamp(a, _, _, _) if isTimestamp(a)                          => quotient(MICROS_PER_SECOND)
      case ToUnixTimestamp(a, _, _, _) if isTimestamp(a)                        => quotient(MICROS_PER_SECOND)
      case _: UnixSeconds                                                       => quotient(MICROS_PER_SECOND)
      case _: UnixMillis                                                        => quotient(MICROS_PER_MILLIS)
      case sum @ (_: Add | _: Subtract | _: DateAdd | _: DateSub | _: DateDiff) => within(exact(sum))
      case _                                                                    => ofType
    }
  }

  /** The UTC offset of local times in microseconds; none if the offset changes in the zone. */
  def offset(e: TimeZoneAwareExpression, time: Expression): Option[Long] =
    if (time.dataType == TimestampNTZType) Some(0L)
    else {
      val rules = DateTimeUtils.getZoneId(zoneOf(e)).getRules
      if (rules.isFixedOffset) Some(rules.getOffset(Instant.EPOCH).getTotalSeconds * MICROS_PER_SECOND)
      else None
    }

  def zoneOf(e: TimeZoneAwareExpression): String = e.timeZoneId.getOrElse(SQLConf.get.sessionLocalTimeZone)

  /** The interval in microseconds; none if its length depends on the time to which it is added. */
  def microsOf(interval: Expression, hasFixedDays: Boolean): Option[Expression] = interval.dataType match {
    case _: DayTimeIntervalType if hasFixedDays => Some(interval)
    case _ if interval.foldable                 =>
      Try(interval.eval()).toOption
        .collect {
          case n: Number if -MICROS_PER_DAY < n.longValue && n.longValue < MICROS_PER_DAY =>
            BigInt(n.longValue)
          case i: CalendarInterval if i.months == 0 && (i.days == 0 || hasFixedDays) =>
            BigInt(i.days) * MICROS_PER_DAY + i.microseconds
        }
        .filter(_.isValidLong)
        .map(n => Literal(n.toLong))
    case _ => None
  }

  /** The microseconds of a unit of fixed length; none for other units. */
  def microsOf(unit: String): Option[Long] = unit.toUpperCase(Locale.ROOT) match {
    case "MICROSECOND" => Some(1L)
    case "MILLISECOND" => Some(MICROS_PER_MILLIS)
    case "SECOND"      => Some(MICROS_PER_SECOND)
    case "MINUTE"      => Some(MICROS_PER_MINUTE)
    case "HOUR"        => Some(MICROS_PER_HOUR)
    case "DAY"         => Some(MICROS_PER_DAY)
    case "WEEK"        => Some(7 * MICROS_PER_DAY)
    case _             => None
  }

  /** Whether the type keeps the seconds of an interval. */
  def holdsAll(to: DayTimeIntervalType): Boolean = to.endField == DayTimeIntervalType.SECOND
}
