package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.aggregate.Mode

/** Which of several most frequent values a mode is. */
object ModeTies {

  /** Whether `mode` takes the greatest of several most frequent values: `mode() WITHIN GROUP (ORDER BY … DESC)`. */
  def takesGreatest(mode: Mode): Boolean = mode.reverseOpt.contains(false)
}
