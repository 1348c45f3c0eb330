package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/** An argument that is a time: a timestamp, a date, a time of day, an interval since some moment, or a number of seconds. */
private[expressions] object TimeArgument {

  def check(argument: Expression, index: Int): TypeCheckResult = argument.dataType match {
    case TimestampType | TimestampNTZType | DateType | _: NumericType | NullType => TypeCheckSuccess
    case _: TimeType | _: DayTimeIntervalType                                    => TypeCheckSuccess
    case _                                                                       =>
      val types = Seq("TIMESTAMP", "TIMESTAMP_NTZ", "DATE", "TIME", "INTERVAL DAY TO SECOND", "NUMERIC")
      NumericArgument.mismatch(argument, index, types.mkString("(\"", "\" or \"", "\")"))
  }

  /** As a number of units, whose differences lose nothing. */
  def ticks(argument: Expression): Expression = argument.dataType match {
    case TimestampType | TimestampNTZType | _: TimeType | _: DayTimeIntervalType =>
      Stored.as(LongType, argument)
    case DateType                                      => Sums.cast(UnixDate(argument), LongType)
    case ByteType | ShortType | IntegerType | LongType => Sums.cast(argument, LongType)
    case _                                             => Sums.cast(argument, DoubleType)
  }

  /** From one time to another, in units. */
  def elapsed(from: Expression, to: Expression): Expression = Sums.cast(Subtract(to, from), DoubleType)

  def secondsPerTick(dataType: DataType): Double = dataType match {
    case TimestampType | TimestampNTZType | _: DayTimeIntervalType => 1e-6
    case _: TimeType                                               => 1e-9
    case DateType                                                  => 86400.0
    case _                                                         => 1.0
  }
}
