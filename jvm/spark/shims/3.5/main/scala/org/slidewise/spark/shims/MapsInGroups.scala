package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.Expression

/** Spark 3.5 has no GROUP BY of maps. */
object MapsInGroups {
  val allowed: Boolean = false

  def sorted(map: Expression): Expression = map
}
