package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate._

/** Functions of the rows of a frame that stand for other clauses of a query. */
private[spark] object RowsOfFrame {

  /** The value of the first row, also if it is null. */
  def first(value: Expression): AggregateFunction = First(value, ignoreNulls = false)

  /** The value of the last row, also if it is null. */
  def last(value: Expression): AggregateFunction = Last(value, ignoreNulls = false)

  /** The least value. */
  def min(value: Expression): AggregateFunction = Min(value)

  /** The greatest value. */
  def max(value: Expression): AggregateFunction = Max(value)

  /** The number of rows. */
  def count: AggregateFunction = Count(Literal(1L))
}
