package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.types.{DoubleType, FloatType}

import org.slidewise.spark.families.Families
import org.slidewise.spark.plan.{FramedAggregate, WindowJoin}

/**
 * The right rows that a window join and a subquery over the same table share. Conditions in which the two differ become filters of
 * their calls.
 *
 * @param right
 *   the shared rows, with the columns of the join
 * @param callsOfJoin
 *   the calls of the join
 * @param calls
 *   the calls of the subquery
 * @param haveFilters
 *   whether calls have got filters in addition to their own
 * @param columns
 *   the column of `right` for each column of the subquery's rows
 */
final private[joins] class SharedRows private (
    val right: LogicalPlan,
    val callsOfJoin: Seq[Alias],
    val calls: Seq[Alias],
    val haveFilters: Boolean,
    columns: AttributeMap[Attribute]
) {
  def moved[E <: Expression](e: E): E = SharedRows.moved(e, columns)
}

private[joins] object SharedRows {

  private def moved[E <: Expression](e: E, columns: AttributeMap[Attribute]): E =
    e.transform { case a: Attribute => columns.getOrElse(a, a) }.asInstanceOf[E]

  /** The shared rows; none if the two read different tables, or if a call may not have a filter. */
  def of(join: WindowJoin, query: FramedSubquery): Option[SharedRows] = {
    val (ofJoin, rows) = conditionsOf(join.right)
    val columns = AttributeMap(query.input.output.zip(join.right.output))
    val calls = query.calls.map(moved(_, columns))
    if (join.right.sameResult(query.right))
      Some(new SharedRows(join.right, join.named, calls, haveFilters = false, columns))
    else if (rows.sameResult(query.input) && mayFilter(join, query)) {
      val required = query.condition.required.map(moved(_, columns))
      val ofQuery = query.own.map(moved(_, columns))
      val known = ofJoin.filterNot(c => required.exists(_.semanticEquals(c)))
      val common = known.zip(ofQuery).takeWhile { case (a, b) => a.semanticEquals(b) }.map(_._1)
      val (more, others) = (known.drop(common.size), ofQuery.drop(common.size))
      val either = for (a <- more.reduceOption(And); b <- others.reduceOption(And)) yield Or(a, b)
      Some(
        new SharedRows(
          (common ++ either ++ required).reduceOption(And).fold(rows)(Filter(_, rows)),
          join.named.map(filtered(_, more)),
          calls.map(filtered(_, others)),
          haveFilters = true,
          columns
        )
      )
    } else None
  }

  /** The call over the rows that meet `conditions`. */
  private def filtered(call: Alias, conditions: Seq[Expression]): Alias = {
    val framed = call.child.asInstanceOf[FramedAggregate]
    val own = framed.filter.toSeq.flatMap(conjuncts)
    val all = conditions.filterNot(isImplied(_, own)) ++ framed.filter
    Alias(framed.copy(filter = all.reduceOption(And)), call.name)(call.exprId)
  }

  /** Whether the conditions `known` imply `condition`, such as a disjunction that earlier sharing has put on the rows. */
  private def isImplied(condition: Expression, known: Seq[Expression]): Boolean = condition match {
    case Or(a, b) => isImplied(a, known) || isImplied(b, known)
    case other    => conjuncts(other).forall(c => known.exists(_.semanticEquals(c)))
  }

  private def conditionsOf(right: LogicalPlan): (Seq[Expression], LogicalPlan) = right match {
    case Filter(condition, rows) => (conjuncts(condition), rows)
    case rows                    => (Nil, rows)
  }

  private def conjuncts(condition: Expression): Seq[Expression] = condition match {
    case And(a, b) => conjuncts(a) ++ conjuncts(b)
    case other     => Seq(other)
  }

  /**
   * Whether calls may get filters. Keys and times must be columns, whose evaluation never fails. No call may be a row reference,
   * which cannot have a filter.
   */
  private def mayFilter(join: WindowJoin, query: FramedSubquery): Boolean =
    (join.rightKeys :+ join.time).forall(isColumn) && (join.calls ++ query.calls.map(_.child)).forall {
      case framed: FramedAggregate =>
        !PythonJoinPlanner.isInPython(framed.function) &&
        Families.of(framed.function).reference.forall(_.value.isEmpty)
      case _ => false
    }

  private def isColumn(e: Expression): Boolean = OuterCondition.narrow(e) match {
    case _: Attribute => true
    case normalized   =>
      normalized.children.size == 1 && isColumn(normalized.children.head) &&
      Seq(FloatType, DoubleType).contains(normalized.dataType)
  }
}
