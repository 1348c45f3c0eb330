package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.Expression

/** Common expressions, which several parts of an expression share. Spark has them since 4.0. */
object CommonExpressions {

  /** `e`, with each reference to a common expression replaced by a copy of it. */
  def inlined(e: Expression): Expression = e
}
