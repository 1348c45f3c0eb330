package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.Cast.{toSQLType, toSQLValue}
import org.apache.spark.sql.types._

/** Times and widths of the `sliding_sketch` functions: microseconds, or whole numbers of any unit. */
private[expressions] object SlidingTime {
  final val MaxTime = 1L << 61
  final val MaxWidth = 1L << 60
  private val MicrosPerDay = 86400000000L

  /** That `time` is a time, and `width` a width in its unit. */
  def check(time: Expression, timeIndex: Int, width: Expression, widthIndex: Int): TypeCheckResult =
    (time.dataType, width.dataType) match {
      case (_, NullType) | (NullType, _: DayTimeIntervalType) => TypeCheckSuccess
      case (t, w) if isWhole(t) && isWhole(w)                 => TypeCheckSuccess
      case (NullType, w) if isWhole(w)                        => TypeCheckSuccess
      case (t, _: DayTimeIntervalType) if isTime(t)           => TypeCheckSuccess
      case (t, _) if isWhole(t) => NumericArgument.mismatch(width, widthIndex, toSQLType(LongType))
      case (t, _) if isTime(t) || t == NullType =>
        NumericArgument.mismatch(width, widthIndex, toSQLType(DayTimeIntervalType()))
      case _ =>
        NumericArgument.mismatch(
          time,
          timeIndex,
          "(\"TIMESTAMP\" or \"TIMESTAMP_NTZ\" or \"DATE\" or \"BIGINT\")"
        )
    }

  private def isTime(dataType: DataType): Boolean = dataType match {
    case TimestampType | TimestampNTZType | DateType => true
    case _                                           => false
  }

  def isWhole(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _                                             => false
  }

  /** A time or a width as a whole number; a date is its midnight. */
  def ticks(value: Any, dataType: DataType): Long = dataType match {
    // Further away than is allowed, and not so far that it overflows.
    case DateType =>
      math.max(-100000000L, math.min(100000000L, value.asInstanceOf[Int].toLong)) * MicrosPerDay
    case _ => value.asInstanceOf[Number].longValue
  }

  /** A number of ticks in SQL, as a value of `dataType`. */
  def shown(ticks: Long, dataType: DataType): String = dataType match {
    case DateType                => toSQLValue(ticks, TimestampNTZType)
    case _: DayTimeIntervalType  => toSQLValue(ticks, DayTimeIntervalType())
    case other if isWhole(other) => ticks.toString
    case NullType                => ticks.toString
    case other                   => toSQLValue(ticks, other)
  }
}
