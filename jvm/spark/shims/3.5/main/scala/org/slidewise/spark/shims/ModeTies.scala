package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.aggregate.Mode

/** The rule by which a mode chooses among several most frequent values. In Spark 3.5, it chooses any of them. */
object ModeTies {
  def takesGreatest(mode: Mode): Boolean = false
}
