package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, First, Last}

/** The functions whose result is the value of one row of a frame. */
private[spark] object RowOfFrame {

  /** The value of the first row, also if it is null. */
  def first(value: Expression): AggregateFunction = First(value, ignoreNulls = false)

  /** The value of the last row, also if it is null. */
  def last(value: Expression): AggregateFunction = Last(value, ignoreNulls = false)
}
