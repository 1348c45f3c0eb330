package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.{CommonExpressionRef, Expression, With}

/** Expressions that several parts of another have in common. Spark has them since 4.0. */
object CommonExpressions {

  /** `e` with a copy of each common expression wherever `e` refers to it. */
  def inlined(e: Expression): Expression = e match {
    case With(child, definitions) =>
      val values = definitions.map(d => d.id -> d.child).toMap
      child.transform {
        case reference: CommonExpressionRef if values.contains(reference.id) => values(reference.id)
      }
    case other => other
  }
}
