package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.Expression

/** Expressions that several parts of another have in common. Spark has them since 4.0. */
object CommonExpressions {

  /** `e` with a copy of each common expression wherever `e` refers to it. */
  def inlined(e: Expression): Expression = e
}
