package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.Expression

/** A map with its entries in the order of the keys, as `GROUP BY` compares maps. Spark 3.5 compares them in their own order. */
object SortedMap {
  def apply(map: Expression): Expression = map
}
