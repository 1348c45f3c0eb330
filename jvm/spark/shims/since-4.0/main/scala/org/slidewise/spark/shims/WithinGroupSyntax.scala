package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, SupportsOrderingWithinGroup}

/** A function with an optional clause WITHIN GROUP (ORDER BY …). */
trait WithinGroupSyntax extends SupportsOrderingWithinGroup { self: AggregateFunction =>

  /** The function over rows in this order. */
  def withinGroup(order: Seq[SortOrder]): AggregateFunction

  override def withOrderingWithinGroup(order: Seq[SortOrder]): AggregateFunction = withinGroup(order)

  // A call with an order becomes a different function, which itself refuses DISTINCT.
  override def orderingFilled: Boolean = false
  override def isOrderingMandatory: Boolean = false
  override def isDistinctSupported: Boolean = true
}
