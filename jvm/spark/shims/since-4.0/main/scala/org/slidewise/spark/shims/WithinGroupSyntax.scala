package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, SupportsOrderingWithinGroup}

/** A function that may be called with WITHIN GROUP (ORDER BY …), an optional clause. */
trait WithinGroupSyntax extends SupportsOrderingWithinGroup { self: AggregateFunction =>

  /** The function over rows in this order. */
  def withinGroup(order: Seq[SortOrder]): AggregateFunction

  override def withOrderingWithinGroup(order: Seq[SortOrder]): AggregateFunction = withinGroup(order)

  // A call with an order is another function, which refuses DISTINCT itself.
  override def orderingFilled: Boolean = false
  override def isOrderingMandatory: Boolean = false
  override def isDistinctSupported: Boolean = true
}
