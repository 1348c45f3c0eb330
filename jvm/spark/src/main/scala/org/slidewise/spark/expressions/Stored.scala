package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.expressions.{Expression, PreciseTimestampConversion}
import org.apache.spark.sql.types.DataType

/** Values of one type as those of another that Spark stores in the same way, as a timestamp and its microseconds. */
private[expressions] object Stored {
  def as(dataType: DataType, value: Expression): Expression =
    PreciseTimestampConversion(value, value.dataType, dataType)
}
