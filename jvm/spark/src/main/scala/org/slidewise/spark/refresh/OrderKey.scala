package org.slidewise.spark.refresh

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/**
 * Arithmetic on an order key. Bounds have types of their own. Times keep their type, whole numbers have 64 bits, and other numbers
 * are doubles, whose bounds are widened by more than a rounding error.
 */
private[refresh] object OrderKey {

  /** The key in the type of its bounds. */
  def bound(key: Expression): Expression = key.dataType match {
    case ByteType | ShortType | IntegerType => Cast(key, LongType)
    case _: DecimalType | FloatType         => Cast(key, DoubleType)
    case _                                  => key
  }

  /** Whether distances other than zero can be added to keys of the type. */
  def hasDistances(kind: DataType): Boolean = kind match {
    case TimestampType | TimestampNTZType | DateType => true
    case _: NumericType                              => true
    case _                                           => false
  }

  /** The bound at a distance from the key. Null if the distance has no limit, or if the bound exceeds the range of its type. */
  def at(key: Expression, distance: Option[BigDecimal], sign: Int): Expression = {
    val from = bound(key)
    distance match {
      case None                => Literal.create(null, from.dataType)
      case Some(by) if by == 0 => from
      case Some(by)            => moved(from, if (sign < 0) -by else by)
    }
  }

  private def moved(from: Expression, by: BigDecimal): Expression = from.dataType match {
    case time @ (TimestampType | TimestampNTZType) =>
      PreciseTimestampConversion(
        sum(PreciseTimestampConversion(from, time, LongType), by, Long.MinValue, Long.MaxValue),
        LongType,
        time
      )
    case DateType =>
      DateFromUnixDate(
        Cast(sum(Cast(UnixDate(from), LongType), by, Int.MinValue.toLong, Int.MaxValue.toLong), IntegerType)
      )
    case LongType   => sum(from, by, Long.MinValue, Long.MaxValue)
    case DoubleType => widened(from, by.toDouble)
    case _          => Literal.create(null, from.dataType)
  }

  /** The sum; null if it is below the least or above the greatest value. */
  private def sum(number: Expression, by: BigDecimal, least: Long, greatest: Long): Expression =
    if (!by.isWhole || by.abs > Long.MaxValue) Literal.create(null, LongType)
    else {
      val shift = by.longValue
      val beyond =
        if (shift >= 0) GreaterThan(number, Literal(greatest - shift))
        else LessThan(number, Literal(least - shift))
      If(beyond, Literal.create(null, LongType), Add(number, Literal(shift)))
    }

  private def widened(number: Expression, by: Double): Expression = {
    val isFinite = LessThan(Abs(number), Literal(Double.MaxValue))
    val slack = Multiply(Add(Abs(number), Literal(math.abs(by))), Literal(Rounding))
    val moved = Add(number, Literal(by))
    If(isFinite, if (by < 0) Subtract(moved, slack) else Add(moved, slack), Literal.create(null, DoubleType))
  }

  // Floats have 24 bits.
  private val Rounding = 1e-6
}
