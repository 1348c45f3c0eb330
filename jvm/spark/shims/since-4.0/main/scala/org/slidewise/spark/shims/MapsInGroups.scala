package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.{Expression, MapSort}

/** The rules of `GROUP BY` for maps in this Spark version. */
object MapsInGroups {

  /** Whether GROUP BY accepts maps. */
  val allowed: Boolean = true

  /** `map` with its entries in the order of the keys. */
  def sorted(map: Expression): Expression = MapSort(map)
}
