package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/** An argument that is a time: a timestamp, a date, or a number of seconds. */
private[expressions] object TimeArgument {

  def check(argument: Expression, index: Int): TypeCheckResult = argument.dataType match {
    case TimestampType | TimestampNTZType | DateType | _: NumericType | NullType => TypeCheckSuccess
    case _                                                                       =>
      NumericArgument.mismatch(
        argument,
        index,
        "(\"TIMESTAMP\" or \"TIMESTAMP_NTZ\" or \"DATE\" or \"NUMERIC\")"
      )
  }

  /** As a number of units, whose differences lose nothing. */
  def ticks(argument: Expression): Expression = argument.dataType match {
    case t @ (TimestampType | TimestampNTZType)        => PreciseTimestampConversion(argument, t, LongType)
    case DateType                                      => Sums.cast(UnixDate(argument), LongType)
    case ByteType | ShortType | IntegerType | LongType => Sums.cast(argument, LongType)
    case _                                             => Sums.cast(argument, DoubleType)
  }

  /** From one time to another, in units. */
  def elapsed(from: Expression, to: Expression): Expression = Sums.cast(Subtract(to, from), DoubleType)

  def secondsPerTick(dataType: DataType): Double = dataType match {
    case TimestampType | TimestampNTZType => 1e-6
    case DateType                         => 86400.0
    case _                                => 1.0
  }
}
