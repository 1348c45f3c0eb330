package org.slidewise.spark.refresh

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._

import org.slidewise.spark.plan.WindowJoin

/** A query of which results are computed again where rows of a table have changed. */
private[refresh] trait Maintained {

  /** The query's plan, with window joins as operators. */
  def query: LogicalPlan

  /** Expressions over the columns of rows in the query that tell zones apart, each with the same value as an expression over the result. */
  def keys: Seq[(Expression, Expression)]

  /** The same for the order key; none if results of the keys at any order may change. */
  def order: Option[(Expression, Expression)]

  /** Whether ranges of the order key have limits on both sides. */
  def areRanges: Boolean

  /** Why keys or the order are not used. */
  def notes: Seq[String]

  /** The keys of results that may change, with the bounds of these results and of the rows to read: see [[Zones]]. */
  def changed: LogicalPlan

  /** Rows of the table, as far as results or the rows of their frames stand for them one by one. */
  def rows: LogicalPlan

  /** These [[rows]] without files that the zones leave out. */
  def prunedRows(zones: Zones): LogicalPlan

  /** The results within the zones, from the rows that they need. */
  def results(zones: Zones): LogicalPlan

  /** Conditions, besides those on the order key, that hold for the results within the zones; `column` finds the column for one of the result. */
  protected def limits(zones: Zones, column: Attribute => Expression): Option[Expression]

  /** Whether any result may change with any row of the table. */
  final def isWhole: Boolean = keys.isEmpty && order.isEmpty

  /** The rows of `plan` that the results in the zones are computed from. */
  final protected def read(plan: LogicalPlan, zones: Zones): LogicalPlan =
    zones.readBy(plan, keys.map(_._1), order.map(_._1))

  /** Rows of several kinds together. */
  final protected def together(kinds: Seq[LogicalPlan]): LogicalPlan =
    kinds.reduce[LogicalPlan]((a, b) => Union(Seq(a, b)))

  /** The keys of some rows, with the columns that [[Zones]] needs besides. */
  final protected def keyed(rows: LogicalPlan, columns: Seq[NamedExpression]): LogicalPlan =
    Project(keys.zipWithIndex.map { case ((key, _), at) => Alias(key, Zones.key(at))() } ++ columns, rows)

  /** The [[rows]] that are scanned for those to read. */
  final def rowsToScan(zones: Zones): LogicalPlan =
    zones.prunedToRead(prunedRows(zones), keys.map(_._1), order.map(_._1))

  /** The [[rows]] that the results in the zones are computed from. */
  final def rowsToRead(zones: Zones): LogicalPlan = read(prunedRows(zones), zones)

  /** The [[rows]] in whose place results in the zones stand. */
  final def rowsOfResults(zones: Zones): LogicalPlan =
    zones.changedIn(prunedRows(zones), keys.map(_._1), order.map(_._1))

  /** Conditions by constants that hold for the results within the zones. */
  final def limitsOfResults(zones: Zones, column: Attribute => Expression): Option[Expression] = {
    val ofKeys = zones.limits(keys.map(k => inPlace(k._2, column)))
    val ofOrder = order.flatMap(o => zones.limits(inPlace(o._2, column), zones.results))
    (ofKeys.toSeq ++ ofOrder ++ limits(zones, column)).reduceOption[Expression](And(_, _))
  }

  /** The rows of `plan` within the zones; `column` finds the column for one of the result. */
  final def within(plan: LogicalPlan, zones: Zones, column: Attribute => Expression): LogicalPlan = {
    val limited = limits(zones, column).fold(plan)(Filter(_, plan))
    zones.changedIn(limited, keys.map(k => inPlace(k._2, column)), order.map(o => inPlace(o._2, column)))
  }

  private def inPlace(e: Expression, column: Attribute => Expression): Expression =
    e.transform { case a: AttributeReference => column(a) }
}

private[refresh] object Maintained {

  /**
   * @param query
   *   an analyzed plan, in which window joins are operators
   * @param resultKeys
   *   the columns that identify a row of the result
   */
  def of(query: LogicalPlan, changes: Changes, resultKeys: Seq[Attribute]): Maintained = {
    val path = QueryPath.of(query, changes)
    if (path.all.exists(_.isInstanceOf[WindowJoin]))
      MaintainedJoin.of(query, changes, path, resultKeys)
    else MaintainedQuery.of(query, changes, path, resultKeys)
  }
}
