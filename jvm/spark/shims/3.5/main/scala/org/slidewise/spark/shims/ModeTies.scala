package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.aggregate.Mode

/** Which of several most frequent values a mode is: any, in Spark 3.5. */
object ModeTies {
  def takesGreatest(mode: Mode): Boolean = false
}
