package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.{Expression, MapSort}

/** A map with its entries in the order of the keys, as `GROUP BY` compares maps. */
object SortedMap {
  def apply(map: Expression): Expression = MapSort(map)
}
