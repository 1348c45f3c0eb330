package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.optimizer.EliminateDistinct

import org.slidewise.spark.expressions.{AggregateOfCopies, GroupingKeys, GuardedCondition, RowsOfFrame}
import org.slidewise.spark.families.Families

/**
 * Rewrites aggregates of grouped columns of the left table. Their inputs are constant within a group, so their value depends only on
 * the left row and the number of its pairs.
 */
private[joins] object AggregatesOfLeft {

  /**
   * The result columns, with aggregates of left columns computed from the number of pairs. For other aggregates, a filter on the
   * left row becomes a condition around the aggregate.
   */
  def replaced(input: JoinInput): Seq[NamedExpression] = {
    val ofLeft = AttributeSet(input.grouping.collect { case a: Attribute => a })
    def isOfLeft(e: Expression) = e.references.nonEmpty && e.references.subsetOf(ofLeft)
    def isOfRight(e: Expression) = e.references.subsetOf(input.right.outputSet)
    input.results.map(_.transform {
      case a: AggregateExpression if isOfLeft(a.aggregateFunction) && canCopy(a) && readsGroups(a) =>
        val (left, right) = a.filter.toSeq.flatMap(Conjuncts(_)).partition(isOfLeft)
        if (right.forall(isOfRight) && left.forall(haveOneValue)) ofCopies(a, left, right) else a
      case a @ AggregateExpression(function, _, _, Some(filter), _)
          if isOfLeft(filter) && isOfRight(function) && haveOneValue(filter) =>
        new ValueOverRows(a, input.right.output).none.toOption
          .fold[Expression](a)(If(GuardedCondition(filter), a.copy(filter = None), _))
    }.asInstanceOf[NamedExpression])
  }

  /** Whether the function has the same value over the grouped columns, in which -0.0 is 0.0, as over those of the rows. */
  private def readsGroups(a: AggregateExpression): Boolean =
    AggregateOfCopies.ignoresSignOfZero(a.aggregateFunction) || haveOneValue(a.aggregateFunction)

  /** Whether the columns of the expression have one value in all rows of a group. */
  private def haveOneValue(e: Expression): Boolean =
    e.references.forall(GroupingKeys.isNormal(_))

  private def canCopy(a: AggregateExpression): Boolean =
    FramedSubquery.isPlain(a) && (ValueOverRows.evaluableOf(a) match {
      case function @ (_: DeclarativeAggregate | _: ImperativeAggregate) =>
        ValueOverRows.isEvaluable(function)
      case _ => false
    })

  private def ofCopies(
      a: AggregateExpression,
      left: Seq[Expression],
      right: Seq[Expression]
  ): Expression = {
    val function = ValueOverRows.evaluableOf(a)
    val pairs = AggregateExpression(RowsOfFrame.count, Complete, isDistinct = false, right.reduceOption(And))
    val counted = if (ignoresCopies(function)) Least(Seq(pairs, Literal(1L))) else pairs
    val columns = function.references.toSeq
    AggregateOfCopies(
      function,
      columns,
      columns,
      left.reduceOption(And).fold[Expression](counted)(c => If(GuardedCondition(c), counted, Literal(0L)))
    )
  }

  private def ignoresCopies(function: AggregateFunction): Boolean =
    Families.of(function).ignoresDuplicates || EliminateDistinct.isDuplicateAgnostic(function)
}
