package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression

import org.slidewise.spark.families.Families

private[planning] object WindowExpressions {

  /**
   * The window expressions in `expression`, each with a name, and `expression` in terms of these names. Window expressions may be
   * nested, because the optimizer wraps sums and means of small decimals.
   */
  def extract(expression: NamedExpression): (Seq[NamedExpression], NamedExpression) =
    split(expression) match {
      case Alias(_: WindowExpression, _) => (Seq(expression), expression.toAttribute)
      case other                         =>
        val named =
          other.collect { case window: WindowExpression => window }.distinct.map(w => w -> Alias(w, "_we")())
        val names = named.toMap
        val outer = other.transform { case window: WindowExpression => names(window).toAttribute }
        (named.map(_._2), outer.asInstanceOf[NamedExpression])
    }

  /**
   * Splits a function with several results, such as several percentiles, into one window expression for each result, if array
   * kernels can evaluate all of them.
   */
  private def split(expression: NamedExpression): NamedExpression = expression match {
    case alias @ Alias(window @ WindowExpression(a: AggregateExpression, _), name) =>
      val parts = Families.of(a.aggregateFunction).parts
      val windows = parts.map(f => window.copy(windowFunction = a.copy(aggregateFunction = f)))
      if (windows.isEmpty || !windows.forall(ArrayPlanner.takes)) expression
      else {
        val all = CreateArray(windows.map(KnownNotNull(_)))
        val result = If(IsNull(windows.head), Literal.create(null, all.dataType), all)
        Alias(result, name)(alias.exprId, alias.qualifier, Some(alias.metadata))
      }
    case _ => expression
  }
}
