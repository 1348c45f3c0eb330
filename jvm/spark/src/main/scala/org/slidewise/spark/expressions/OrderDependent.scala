package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, SupportsOrderingWithinGroup}

/**
 * An aggregate function whose answer depends on the order of the rows, and so has one only over an ordered window, or with an
 * order of its own: `WITHIN GROUP (ORDER BY …)`.
 */
trait OrderDependent extends SupportsOrderingWithinGroup { self: AggregateFunction =>

  /** Whether this call of it does. */
  def dependsOnOrder: Boolean = true

  /** The argument in whose ascending order the rows have to be, if there is one. */
  def ascending: Option[Expression] = None

  def prettyName: String

  /** What the user may do instead, for the message. */
  def withoutOrder: Option[String] = None

  /** How many of its arguments, the first ones, are of the row; the others are constants. */
  def rowArguments: Int

  override def withOrderingWithinGroup(order: Seq[SortOrder]): AggregateFunction = WithinGroup(this, order)

  // A call with an order is another expression, which refuses DISTINCT itself.
  override def orderingFilled: Boolean = false
  override def isOrderingMandatory: Boolean = false
  override def isDistinctSupported: Boolean = true
}
