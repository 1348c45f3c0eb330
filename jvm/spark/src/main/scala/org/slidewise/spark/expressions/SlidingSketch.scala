package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.Cast.{toSQLType, toSQLValue}
import org.apache.spark.sql.types._

import org.slidewise.core.summaries.DyadicDigest
import org.slidewise.spark.errors.InvalidArgument

/** The aggregation buffer of the `sliding_sketch` aggregates: a digest, or null before the first row. */
final class SlidingSketch(var digest: DyadicDigest) {

  /**
   * Adds the content of `other`, which is not changed.
   *
   * @param argument
   *   the argument of `function` whose values are summed
   */
  def merge(function: String, argument: String, other: DyadicDigest): Unit = if (other != null) {
    if (digest == null) digest = DyadicDigest.create(other.maxWidth, other.epsilon)
    if (digest.maxWidth != other.maxWidth || digest.epsilon != other.epsilon)
      throw new InvalidArgument(
        function,
        "sketch",
        s"a sketch of max_width ${other.maxWidth} and epsilon ${other.epsilon}",
        s"a sketch of max_width ${digest.maxWidth} and epsilon ${digest.epsilon}, as the sketches before it"
      )
    SlidingSketch.summing(function, argument)(digest.merge(other))
  }

  /** The digest's bytes, or null without a digest. */
  def toBytes(function: String, argument: String): Array[Byte] =
    if (digest == null) null else SlidingSketch.summing(function, argument)(digest.toBytes)
}

object SlidingSketch {
  private val Allowed =
    "a result of `sliding_count_sketch_agg`, `sliding_sum_sketch_agg` or `sliding_sketch_union_agg`"

  /** Decodes a digest. Malformed bytes raise [[InvalidArgument]] for the argument `sketch`. */
  def read(function: String, bytes: Array[Byte]): DyadicDigest =
    InvalidArgument.read(function, "sketch", Allowed, bytes) { bytes =>
      val digest = DyadicDigest.fromBytes(bytes)
      // Checks the range of the parameters.
      DyadicDigest.create(digest.maxWidth, digest.epsilon)
      digest
    }

  /** Runs `add`, and turns an overflow of the sum of all values into [[InvalidArgument]]. */
  def summing[A](function: String, argument: String)(add: => A): A =
    try add
    catch {
      case _: ArithmeticException =>
        throw new InvalidArgument(
          function,
          argument,
          "a value by which the sum reaches 2^62",
          "so small that the sum stays below 2^62"
        )
    }
}

/** Times and widths of the `sliding_sketch` functions: microseconds, or integers of any unit. */
private[expressions] object SketchTime {
  final val MaxTime = 1L << 61
  final val MaxWidth = 1L << 60
  private val MicrosPerDay = 86400000000L

  /** Checks that `time` is a time, and `width` a width in the same unit. */
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

  /** A time or a width as a bigint; a date is its midnight. */
  def ticks(value: Any, dataType: DataType): Long = dataType match {
    // Clamped beyond the allowed range, so that the product cannot overflow.
    case DateType =>
      math.max(-100000000L, math.min(100000000L, value.asInstanceOf[Int].toLong)) * MicrosPerDay
    case _ => value.asInstanceOf[Number].longValue
  }

  /** Renders a number of ticks in SQL as a value of `dataType`. */
  def shown(ticks: Long, dataType: DataType): String = dataType match {
    case DateType                => toSQLValue(ticks, TimestampNTZType)
    case _: DayTimeIntervalType  => toSQLValue(ticks, DayTimeIntervalType())
    case other if isWhole(other) => ticks.toString
    case NullType                => ticks.toString
    case other                   => toSQLValue(ticks, other)
  }
}
