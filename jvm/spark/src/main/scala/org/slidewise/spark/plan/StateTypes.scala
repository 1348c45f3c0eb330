package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._

/** Facts about the types of values. */
private[spark] object StateTypes {

  /**
   * Whether a field lies in the fixed part of an unsafe row.
   *
   * Wide decimals do not: until evaluation, Spark keeps their sums with more digits than the type has, and an unsafe row would
   * truncate them.
   */
  def isFixedWidth(dataType: DataType): Boolean = dataType match {
    case CalendarIntervalType => false
    case _: DecimalType       => !isWide(dataType)
    case other                => UnsafeRow.isFixedLength(other)
  }

  /** Whether the values are decimals with too many digits for 64 bits. */
  def isWide(dataType: DataType): Boolean = dataType match {
    case decimal: DecimalType => decimal.precision > Decimal.MAX_LONG_DIGITS
    case _                    => false
  }

  /** Whether the values are floating-point numbers. */
  def isFloating(dataType: DataType): Boolean = dataType == DoubleType || dataType == FloatType
}
