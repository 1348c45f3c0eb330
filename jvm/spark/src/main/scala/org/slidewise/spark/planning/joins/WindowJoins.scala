package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, DeclarativeAggregate}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.families.Families
import org.slidewise.spark.plan.{FramedAggregate, RowValue, WindowJoin}
import org.slidewise.spark.planning.WindowCall

/**
 * A window join in place of a correlated subquery.
 *
 * @param join
 *   the join, which may evaluate other subqueries, too
 * @param kept
 *   the columns of the outer rows, over `join`
 * @param conditions
 *   the conditions of other subqueries on the rows of `join`
 * @param query
 *   the subquery
 */
final private[joins] case class JoinedSubquery(
    join: WindowJoin,
    kept: Seq[NamedExpression],
    conditions: Seq[Expression],
    query: FramedSubquery
) {

  /** The columns of the subquery, over `join`. */
  def results: Seq[NamedExpression] = query.results

  /** See [[FramedSubquery]]. */
  def found: Option[Attribute] = query.found

  /**
   * The outer rows, each with `columns`, which are expressions over `join`.
   *
   * @param needsRow
   *   whether to drop outer rows for which the subquery returns no row; otherwise, their `columns` are null
   */
  def withColumns(columns: Seq[NamedExpression], needsRow: Boolean = false): LogicalPlan = {
    val all = conditions ++ (if (needsRow) query.hasRow else None)
    Project(
      kept ++ (if (needsRow) columns else columns.map(orNull)),
      all.foldLeft[LogicalPlan](join)((plan, condition) => Filter(condition, plan))
    )
  }

  // A call that reads the value of one row is null without rows.
  private def orNull(column: NamedExpression): NamedExpression = (column, query.hasRow) match {
    case (Alias(call: Attribute, _), _)
        if query.having.isEmpty && join.named.exists(n => n.exprId == call.exprId && isOfRow(n.child)) =>
      column
    case (alias @ Alias(value, name), Some(hasRow)) =>
      Alias(If(hasRow, value, Literal.create(null, value.dataType)), name)(
        alias.exprId,
        alias.qualifier
      )
    case _ => column
  }

  private def isOfRow(call: Expression): Boolean = call match {
    case framed: FramedAggregate => Families.of(framed.function).reference.exists(_.value.isDefined)
    case _                       => false
  }
}

private[joins] object WindowJoins {

  /**
   * Evaluates the subquery for the rows of `left`. If the top of `left` is a window join of the same rows by the same keys and
   * times, this join evaluates the subquery, too. Both then need one shuffle and one sort of each side.
   *
   * @return
   *   the join; or the reason why Spark has to evaluate the subquery
   */
  def over(left: LogicalPlan, query: FramedSubquery): Either[String, JoinedSubquery] = {
    val own = alone(left, query)
    reasonNot(own.join).toLeft(shared(left, query).getOrElse(own))
  }

  /** The reason why Spark has to evaluate the join; none if Slidewise does. */
  def reasonNot(join: WindowJoin): Option[String] =
    if (join.isStreaming) Some("one of the tables is a stream")
    else WindowJoinPlanner.reasonNot(join, SQLConf.get)

  private def alone(left: LogicalPlan, query: FramedSubquery): JoinedSubquery = {
    val condition = query.condition
    JoinedSubquery(
      WindowJoin(
        left,
        query.right,
        condition.leftKeys,
        condition.rightKeys,
        SortOrder(condition.time, Ascending) +: query.ties,
        query.calls.map(_.child),
        query.calls.map(_.toAttribute)
      ),
      left.output,
      Nil,
      query
    )
  }

  private def shared(left: LogicalPlan, query: FramedSubquery): Option[JoinedSubquery] = left match {
    case Project(kept, Conditions(conditions, join: WindowJoin)) if join.times.isEmpty =>
      for {
        rows <- SharedRows.of(join, query)
        condition = query.condition
        order <- longer(join.order, (SortOrder(condition.time, Ascending) +: query.ties).map(rows.moved(_)))
        keys = condition.leftKeys.zip(condition.rightKeys.map(rows.moved(_)))
        passed = AttributeSet(kept.collect { case a: Attribute if join.left.outputSet.contains(a) => a })
        bounds = rows.calls.flatMap(_.collect { case bound: RowValue => bound })
        above = AttributeSet(query.results ++ query.having) -- AttributeSet(rows.calls.map(_.toAttribute))
        if (AttributeSet(bounds ++ condition.leftKeys) ++ above).subsetOf(passed) && sameKeys(
          keys,
          join.leftKeys.zip(join.rightKeys)
        )
        both = join.copy(
          right = rows.right,
          calls = (rows.callsOfJoin ++ rows.calls).map(_.child),
          results = join.results ++ rows.calls.map(_.toAttribute),
          order = order
        )
        // The conditions drop rows before Spark evaluates the subquery.
        if conditions.isEmpty || !rows.calls.exists(mayFail)
        // Without new filters, the calls of both have already been checked.
        if !rows.haveFilters || reasonNot(both).isEmpty
      } yield JoinedSubquery(both, kept, conditions, query)
    case _ => None
  }

  /** Whether an aggregate may fail for some rows, such as a sum that overflows. */
  private def mayFail(call: Alias): Boolean = call.child match {
    case FramedAggregate(function: AggregateFunction, filter, _, _, _, _) =>
      mayFail(WindowCall.replaced(function)) || filter.exists(TotalBound.mayFail)
    case _ => true
  }

  private def mayFail(function: AggregateFunction): Boolean = function match {
    case declarative: DeclarativeAggregate =>
      declarative.children.exists(TotalBound.mayFail) ||
      (declarative.updateExpressions :+ declarative.evaluateExpression).exists { e =>
        TotalBound.mayFail(withoutCounts(e)) || e.exists {
          case sum: CheckOverflowInSum              => !sum.nullOnOverflow
          case check: CheckOverflow                 => !check.nullOnOverflow
          case mean: DecimalDivideWithOverflowCheck => !mean.nullOnOverflow
          case _                                    => false
        }
      }
    case _ => true
  }

  // The number of rows does not overflow.
  private def withoutCounts(update: Expression): Expression = update.transform {
    case Add(count: Attribute, Literal(1L, _), _) => count
  }

  /** The longer of two orders, if it begins with the other. */
  private def longer(a: Seq[SortOrder], b: Seq[SortOrder]): Option[Seq[SortOrder]] =
    if (a.zip(b).forall { case (x, y) => x.semanticEquals(y) }) Some(if (a.size < b.size) b else a)
    else None

  private def sameKeys(a: Seq[(Expression, Expression)], b: Seq[(Expression, Expression)]): Boolean = {
    def hasAll(some: Seq[(Expression, Expression)], others: Seq[(Expression, Expression)]) =
      others.forall { case (left, right) =>
        some.exists { case (l, r) => l.semanticEquals(left) && r.semanticEquals(right) }
      }
    hasAll(a, b) && hasAll(b, a)
  }

  /** Matches a plan below any number of filters. */
  private object Conditions {
    def unapply(plan: LogicalPlan): Option[(Seq[Expression], LogicalPlan)] = plan match {
      case Filter(condition, child) => unapply(child).map { case (below, plan) => (below :+ condition, plan) }
      case other                    => Some((Nil, other))
    }
  }
}
