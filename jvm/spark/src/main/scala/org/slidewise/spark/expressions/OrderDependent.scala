package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, SupportsOrderingWithinGroup}

/**
 * An aggregate function whose result depends on the order of its rows. The order is that of the window, or the call's own: `WITHIN
 * GROUP (ORDER BY …)`.
 */
trait OrderDependent extends SupportsOrderingWithinGroup { self: AggregateFunction =>

  /** Whether the result of this call depends on the order. */
  def dependsOnOrder: Boolean = true

  /** The argument by which the rows must ascend, if there is one. */
  def ascending: Option[Expression] = None

  def prettyName: String

  /** A call that needs no order, for the error message. */
  def unorderedAlternative: Option[String] = None

  /** The number of leading arguments that vary from row to row; the others are constants. */
  def rowArguments: Int

  override def withOrderingWithinGroup(order: Seq[SortOrder]): AggregateFunction = WithinGroup(this, order)

  // A call with an order is a WithinGroup, which refuses DISTINCT itself.
  override def orderingFilled: Boolean = false
  override def isOrderingMandatory: Boolean = false
  override def isDistinctSupported: Boolean = true
}
