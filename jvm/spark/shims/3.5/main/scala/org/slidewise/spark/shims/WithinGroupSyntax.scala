package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

/** Spark 3.5 supports WITHIN GROUP only for its own percentiles, so that it never calls this method. */
trait WithinGroupSyntax { self: AggregateFunction =>
  def withinGroup(order: Seq[SortOrder]): AggregateFunction
}
