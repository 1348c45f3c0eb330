package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.logical._

import org.slidewise.spark.expressions.RowsOfFrame
import org.slidewise.spark.planning.ColumnDefinitions

/**
 * A correlated subquery whose result for an outer row combines aggregates of a window over another table.
 *
 * @param input
 *   the rows of the subquery before any condition, independent of the outer query
 * @param own
 *   the conditions on these rows alone
 * @param calls
 *   the aggregates, each an alias of a [[org.slidewise.spark.plan.FramedAggregate]]
 * @param results
 *   the columns of the subquery, over an outer row and `calls`
 * @param found
 *   the call that is null if no row meets the conditions; none if the subquery then still returns a row
 * @param having
 *   the condition on the row of the subquery, over an outer row and `calls`
 * @param ties
 *   the order of rows that have the same time
 */
final private[joins] case class FramedSubquery(
    input: LogicalPlan,
    own: Seq[Expression],
    condition: OuterCondition,
    calls: Seq[Alias],
    results: Seq[NamedExpression],
    found: Option[Attribute],
    having: Option[Expression] = None,
    ties: Seq[SortOrder] = Nil
) {

  /** The rows of the subquery that may belong to the window of an outer row. */
  def right: LogicalPlan = (own ++ condition.required).reduceOption(And).fold(input)(Filter(_, input))

  /** The condition that the subquery returns a row, over an outer row and `calls`; none if it always returns one. */
  def hasRow: Option[Expression] = (found.map(IsNotNull(_)) ++ having).reduceOption[Expression](And)

  /** The same subquery, which returns its row only if `condition` is true. The condition may also read the outer row. */
  def having(condition: Expression): FramedSubquery = {
    val all = having.toSeq :+ OuterCondition.asLeft(ColumnDefinitions.of(results).in(condition))
    copy(having = all.reduceOption(And))
  }

  /** The same subquery, whose columns have other identifiers. */
  def renamed: FramedSubquery = copy(results = results.map {
    case alias: Alias => Alias(alias.child, alias.name)()
    case other        => Alias(other, other.name)()
  })
}

private[joins] object FramedSubquery {
  import OuterCondition.{asLeft, isOuter}

  /** The subquery in the form of a window; or the reason why it has no such form. */
  def of(plan: LogicalPlan): Either[String, FramedSubquery] = plan match {
    case SubqueryAlias(_, child)                              => of(child)
    case Project(columns, child) if columns.forall(isPlain)   => of(child).flatMap(projected(_, columns))
    case Filter(condition, child) if isPlain(condition)       => of(child).map(_.having(condition))
    case aggregate: Aggregate                                 => AggregatedSubquery.of(aggregate)
    case GlobalLimit(IntegerLiteral(1), LocalLimit(_, child)) => ofSorted(child)
    case GlobalLimit(rows, _)                                 =>
      Left(
        s"LIMIT ${rows.sql} may return several rows, or none; " +
          s"for the newest ones, explode top_k_by(x, right.ts, ${rows.sql}) of a subquery without LIMIT"
      )
    case _ => Left("the subquery is neither an aggregate nor the first row in an order")
  }

  /** Whether the expression is deterministic and has no subquery. */
  def isPlain(e: Expression): Boolean =
    e.deterministic && !e.exists(e => e.isInstanceOf[SubqueryExpression] || e.isInstanceOf[Generator])

  /** The reason for columns that would be too long, written over the tables. */
  val TooLong: String =
    "the columns are long expressions when they are written over the columns of the tables; " +
      "compute them in a table of its own"

  private def projected(
      query: FramedSubquery,
      columns: Seq[NamedExpression]
  ): Either[String, FramedSubquery] = {
    val below = ColumnDefinitions.of(query.results)
    if (below.fitIn(columns)) Right(query.copy(results = columns.map(below.inNamed).map(asNamedLeft)))
    else Left(TooLong)
  }

  def asNamedLeft(e: NamedExpression): NamedExpression = e match {
    case OuterReference(a) => Alias(a, a.name)(e.exprId)
    case other             => asLeft(other).asInstanceOf[NamedExpression]
  }

  /** The subquery that returns the first row of `plan`, which sorts by the time of the window. */
  private def ofSorted(plan: LogicalPlan): Either[String, FramedSubquery] = plan match {
    case SubqueryAlias(_, child)                            => ofSorted(child)
    case Project(columns, child) if columns.forall(isPlain) => ofSorted(child).flatMap(projected(_, columns))
    case sort: Sort => ofSort(sort.order, sort.child, sort.child.output)
    case other      => Left(s"${other.nodeName} returns one row in no order")
  }

  private def ofSort(
      order: Seq[SortOrder],
      plan: LogicalPlan,
      columns: Seq[NamedExpression]
  ): Either[String, FramedSubquery] = plan match {
    case SubqueryAlias(_, child) if isOuter(child) => ofSort(order, child, columns)
    case Project(below, child) if isOuter(child) && below.forall(e => isPlain(e)) =>
      val defined = ColumnDefinitions.of(below)
      if (defined.fitIn(order ++ columns))
        ofSort(order.map(defined.in(_).asInstanceOf[SortOrder]), child, columns.map(defined.inNamed))
      else Left(TooLong)
    case _ =>
      inputOf(plan).flatMap { rows =>
        val failing = order.drop(1).find(tie => TotalBound.mayFail(tie.child)) // all right rows are sorted
        val sorted = for {
          by <- order.headOption
          condition <- rows.condition.inOrderOf(by.child)
          ties = order.tail
          if failing.isEmpty && !ties.exists(isOuter(_))
        } yield {
          val isLast = by.direction == Descending
          ofOneRow(rows.copy(condition = condition), columns, isLast)
            .copy(ties = if (isLast) ties.map(reversed) else ties)
        }
        sorted.toRight(
          failing.fold(s"the rows are not in the order of ${rows.condition.time.sql}") { tie =>
            s"${tie.child.sql} may fail for rows that Spark does not sort"
          }
        )
      }
  }

  private def reversed(order: SortOrder): SortOrder = {
    val isAscending = order.direction == Descending
    val nulls = if (order.nullOrdering == NullsFirst) NullsLast else NullsFirst
    SortOrder(order.child, if (isAscending) Ascending else Descending, nulls, Nil)
  }

  /**
   * The subquery for the last row of `right`, in the order of time, that meets the conditions; or for the first row, if not
   * `isLast`.
   */
  def ofNearest(
      right: LogicalPlan,
      conditions: Seq[Expression],
      isLast: Boolean
  ): Either[String, FramedSubquery] =
    inputOf(right, conditions).map(ofOneRow(_, right.output, isLast))

  private def ofOneRow(
      rows: Rows,
      columns: Seq[NamedExpression],
      isLast: Boolean
  ): FramedSubquery = {
    def value(of: Expression) =
      rows.condition.call(if (isLast) RowsOfFrame.last(of) else RowsOfFrame.first(of))
    val found = value(Literal.TrueLiteral)
    // A column that also reads the outer row is computed from the columns of the right row that it reads.
    val single = AttributeSet(columns.filter(isOuter(_))).toSeq.map(a => a -> value(a))
    val ofSingle = new ColumnDefinitions(AttributeMap(single.map { case (a, alias) =>
      a -> alias.toAttribute
    }))
    val whole = columns.filterNot(isOuter(_)).map {
      case alias: Alias => alias -> value(alias.child)
      case other        => other -> value(other)
    }
    val ofWhole = whole.map { case (column, alias) =>
      column.exprId -> Alias(alias.toAttribute, column.name)(column.exprId, column.qualifier)
    }.toMap
    val results =
      columns.map(column => ofWhole.getOrElse(column.exprId, asNamedLeft(ofSingle.inNamed(column))))
    FramedSubquery(
      rows.input,
      rows.own,
      rows.condition,
      found +: (whole ++ single).map(_._2),
      results,
      Some(found.toAttribute)
    )
  }

  /**
   * The rows that a subquery reads.
   *
   * @param input
   *   the rows before any condition, independent of the outer query
   * @param own
   *   the conditions that do not depend on the outer query
   * @param condition
   *   the condition that depends on the outer query
   */
  final case class Rows(input: LogicalPlan, own: Seq[Expression], condition: OuterCondition)

  def inputOf(plan: LogicalPlan): Either[String, Rows] = {
    val (conditions, input) = filters(plan)
    inputOf(input, conditions)
  }

  private def inputOf(
      input: LogicalPlan,
      conditions: Seq[Expression]
  ): Either[String, Rows] =
    if (isOuter(input)) Left(s"${input.nodeName} of the subquery depends on the query around it")
    else if (!conditions.forall(isPlain)) Left("a condition of the subquery is not deterministic")
    else {
      val (outer, own) = conditions.partition(isOuter(_))
      OuterCondition.of(outer).map(Rows(input, own, _))
    }

  private def filters(plan: LogicalPlan): (Seq[Expression], LogicalPlan) = plan match {
    case SubqueryAlias(_, child) if isOuter(child) => filters(child)
    case Filter(condition, child) if isOuter(plan) =>
      val (below, input) = filters(child)
      (below ++ Conjuncts(condition), input)
    case other => (Nil, other)
  }
}
