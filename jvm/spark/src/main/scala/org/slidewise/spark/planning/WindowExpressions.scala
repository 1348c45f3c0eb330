package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{ArrayType, DoubleType}

private[planning] object WindowExpressions {

  /**
   * The window expressions in `expression`, each with a name, and what `expression` is of those names. The optimizer
   * wraps sums and means of small decimals.
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

  /** Several percentiles as one window expression each, where array kernels can evaluate these. */
  private def split(expression: NamedExpression): NamedExpression = expression match {
    case alias @ Alias(window @ WindowExpression(a: AggregateExpression, _), name) =>
      percentiles(a.aggregateFunction)
        .map(_.map(f => window.copy(windowFunction = a.copy(aggregateFunction = f))))
        .filter(_.forall(MultisetPlanner.takes))
        .map { windows =>
          val all = CreateArray(windows.map(KnownNotNull(_)))
          val result = If(IsNull(windows.head), Literal.create(null, all.dataType), all)
          Alias(result, name)(alias.exprId, alias.qualifier, Some(alias.metadata))
        }
        .getOrElse(expression)
    case _ => expression
  }

  private def fractions(percentages: Expression): Seq[Literal] = percentages.dataType match {
    case _: ArrayType =>
      percentages.eval().asInstanceOf[ArrayData].toDoubleArray().toSeq.map(Literal(_, DoubleType))
    case _ => Nil
  }

  private def percentiles(function: AggregateFunction): Option[Seq[AggregateFunction]] = {
    val each = function match {
      case f: Percentile     => fractions(f.percentageExpression).map(p => f.copy(percentageExpression = p))
      case f: PercentileDisc => fractions(f.percentageExpression).map(p => f.copy(percentageExpression = p))
      case f: ApproximatePercentile =>
        fractions(f.percentageExpression).map(p => f.copy(percentageExpression = p))
      case _ => Nil
    }
    if (each.isEmpty) None else Some(each)
  }
}
