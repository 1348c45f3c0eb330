package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

/** Spark 3.5 has no WITHIN GROUP but for its own percentiles, so that nothing calls this. */
trait WithinGroupSyntax { self: AggregateFunction =>
  def withinGroup(order: Seq[SortOrder]): AggregateFunction
}
