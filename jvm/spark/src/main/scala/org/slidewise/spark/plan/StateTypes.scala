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
    case d: DecimalType       => d.precision <= 18
    case other                => UnsafeRow.isFixedLength(other)
  }

  /** Whether the values are floating-point numbers. */
  def isFloating(dataType: DataType): Boolean = dataType == DoubleType || dataType == FloatType
}
