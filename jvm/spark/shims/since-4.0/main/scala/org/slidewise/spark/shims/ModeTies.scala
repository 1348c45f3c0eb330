package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.aggregate.Mode

/** The rule by which a mode chooses among several most frequent values. */
object ModeTies {

  /** Whether `mode` takes the greatest of several most frequent values: `mode() WITHIN GROUP (ORDER BY … DESC)`. */
  def takesGreatest(mode: Mode): Boolean = mode.reverseOpt.contains(false)
}
