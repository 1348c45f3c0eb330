package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.{Alias, NamedExpression, WindowExpression}

private[planning] object WindowExpressions {

  /**
   * The window expressions in `expression`, each with a name, and what `expression` is of those names. The optimizer
   * wraps sums and means of small decimals.
   */
  def extract(expression: NamedExpression): (Seq[NamedExpression], NamedExpression) =
    expression match {
      case Alias(_: WindowExpression, _) => (Seq(expression), expression.toAttribute)
      case other                         =>
        val named =
          other.collect { case window: WindowExpression => window }.distinct.map(w => w -> Alias(w, "_we")())
        val outer = other.transform { case window: WindowExpression => named.toMap.apply(window).toAttribute }
        (named.map(_._2), outer.asInstanceOf[NamedExpression])
    }
}
