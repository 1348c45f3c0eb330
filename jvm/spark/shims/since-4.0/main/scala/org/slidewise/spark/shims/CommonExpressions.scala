package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.{CommonExpressionRef, Expression, With}

/** Common expressions, which several parts of an expression share. Spark has them since 4.0. */
object CommonExpressions {

  /** `e`, with each reference to a common expression replaced by a copy of it. */
  def inlined(e: Expression): Expression = e match {
    case With(child, definitions) =>
      val values = definitions.map(d => d.id -> d.child).toMap
      child.transform {
        case reference: CommonExpressionRef if values.contains(reference.id) => values(reference.id)
      }
    case other => other
  }
}
