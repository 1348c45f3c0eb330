package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._

import org.slidewise.spark.expressions.{ConditionalFunctions, RowsOfFrame}

/**
 * Rewrites aggregates of `CASE WHEN condition THEN value END` to the form `FILTER (WHERE condition)` if the condition also reads the
 * left row. The filter may be a range within the range of the join.
 */
private[joins] object ConditionalAggregates {

  /** The result columns, with such aggregates in the filtered form. */
  def asFiltered(input: JoinInput): Seq[NamedExpression] = {
    val left = input.left.outputSet
    def isOfLeft(e: Expression) = e.references.exists(left.contains)
    input.results.map(_.transform {
      case a @ AggregateExpression(ConditionalFunctions.CountOf(condition), _, _, _, _)
          if isOfLeft(condition) =>
        filtered(a, RowsOfFrame.count, condition)
      case a @ AggregateExpression(function, _, _, _, _) if ConditionalFunctions.ignoresNulls(function) =>
        function.children.head match {
          case Conditional(condition, value, otherwise) if isOfLeft(condition) =>
            val of = function.withNewChildren(value +: function.children.tail).asInstanceOf[AggregateFunction]
            withOthers(a, filtered(a, of, condition), otherwise).getOrElse(a)
          case _ => a
        }
    }.asInstanceOf[NamedExpression])
  }

  private object Conditional {
    def unapply(e: Expression): Option[(Expression, Expression, Option[Expression])] = e match {
      case CaseWhen(Seq((condition, value)), otherwise) => Some((condition, value, otherwise))
      case If(condition, value, otherwise)              => Some((condition, value, Some(otherwise)))
      case _                                            => None
    }
  }

  private def filtered(
      a: AggregateExpression,
      function: AggregateFunction,
      condition: Expression
  ): AggregateExpression =
    AggregateExpression(function, a.mode, a.isDistinct, Some(a.filter.fold(condition)(And(_, condition))))

  /**
   * The filtered aggregate, combined with the ELSE value of the rows that do not meet the condition. None if the two cannot be
   * combined.
   */
  private def withOthers(
      a: AggregateExpression,
      filtered: AggregateExpression,
      otherwise: Option[Expression]
  ): Option[Expression] = {
    def count(filter: Option[Expression]) =
      AggregateExpression(RowsOfFrame.count, Complete, isDistinct = false, filter)
    def ifOthers(value: Expression) =
      Some(If(GreaterThan(count(a.filter), count(filtered.filter)), value, filtered))
    otherwise match {
      case None                                                  => Some(filtered)
      case Some(other) if other.foldable && other.eval() == null => Some(filtered)
      case Some(other) if !other.foldable || a.isDistinct        => None
      case Some(other)                                           =>
        ConditionalFunctions.together(a.aggregateFunction, filtered, other).flatMap(ifOthers)
    }
  }
}
