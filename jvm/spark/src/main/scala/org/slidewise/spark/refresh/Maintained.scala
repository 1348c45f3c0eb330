package org.slidewise.spark.refresh

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._

import org.slidewise.spark.plan.WindowJoin

/**
 * A query with a stored result.
 *
 * @param query
 *   an analyzed plan, in which window joins are operators
 * @param columns
 *   the columns of the query whose stored values equal those of the query
 */
final private[refresh] case class StoredResult(query: LogicalPlan, columns: Seq[Attribute])

/** A query whose results are recomputed where rows of a table have changed. */
private[refresh] trait Maintained {

  def result: StoredResult

  final def query: LogicalPlan = result.query

  /**
   * The expressions whose values distinguish zones, over the columns of rows in the query. Each is paired with the expression over
   * the result that has the same value.
   */
  def keys: Seq[(Expression, Expression)]

  /** The order key, with the expression over the result that has the same value. None if all results of a changed key may change. */
  def order: Option[(Expression, Expression)]

  /** Whether ranges of the order key have limits on both sides. */
  def areRanges: Boolean

  /** The reasons why keys or the order key are not used. */
  def notes: Seq[String]

  /** The keys of results that may change, with the bounds of these results and of the rows to read: see [[Zones]]. */
  def changed: LogicalPlan

  /**
   * The rows that a refresh counts to compute the share that it reads: those of one changed table, or the left rows of the window
   * joins.
   */
  def rows: LogicalPlan

  /** The same [[rows]], without files that contain no rows of the zones. */
  def prunedRows(zones: Zones): LogicalPlan

  /** The results within the zones, computed from the rows that they read. */
  def results(zones: Zones): LogicalPlan

  /**
   * A condition, besides that on the order key, that holds for all results within the zones. `column` maps columns of the result to
   * the columns of the condition.
   */
  protected def limits(zones: Zones, column: Attribute => Expression): Option[Expression]

  /** Whether a change of any row of the table may change any result. */
  final def isWhole: Boolean = keys.isEmpty && order.isEmpty

  /** The rows of `plan` from which the results in the zones are computed. */
  final protected def read(plan: LogicalPlan, zones: Zones): LogicalPlan =
    zones.readBy(plan, keys.map(_._1), order.map(_._1))

  /** The union of several plans. */
  final protected def together(kinds: Seq[LogicalPlan]): LogicalPlan =
    kinds.reduce[LogicalPlan]((a, b) => Union(Seq(a, b)))

  /** The keys of `rows`, with the further columns that [[Zones]] needs. */
  final protected def keyed(rows: LogicalPlan, columns: Seq[NamedExpression]): LogicalPlan =
    Project(keys.zipWithIndex.map { case ((key, _), at) => Alias(key, Zones.key(at))() } ++ columns, rows)

  /** The [[rows]] that a scan returns in search of the rows to read. */
  final def rowsToScan(zones: Zones): LogicalPlan =
    zones.prunedToRead(prunedRows(zones), keys.map(_._1), order.map(_._1))

  /** The [[rows]] from which the results in the zones are computed. */
  final def rowsToRead(zones: Zones): LogicalPlan = read(prunedRows(zones), zones)

  /** The [[rows]] whose results are in the zones. */
  final def rowsOfResults(zones: Zones): LogicalPlan =
    zones.changedIn(prunedRows(zones), keys.map(_._1), order.map(_._1))

  /** A condition with constants that holds for all results within the zones. */
  final def limitsOfResults(zones: Zones, column: Attribute => Expression): Option[Expression] = {
    val ofKeys = zones.limits(keys.map(k => inPlace(k._2, column)))
    val ofOrder = order.flatMap(o => zones.limits(inPlace(o._2, column), zones.results))
    (ofKeys.toSeq ++ ofOrder ++ limits(zones, column)).reduceOption[Expression](And(_, _))
  }

  /** The rows of `plan` within the zones; `column` maps columns of the result to those of `plan`. */
  final def within(plan: LogicalPlan, zones: Zones, column: Attribute => Expression): LogicalPlan = {
    val limited = limits(zones, column).fold(plan)(Filter(_, plan))
    zones.changedIn(limited, keys.map(k => inPlace(k._2, column)), order.map(o => inPlace(o._2, column)))
  }

  private def inPlace(e: Expression, column: Attribute => Expression): Expression =
    e.transform { case a: AttributeReference => column(a) }
}

private[refresh] object Maintained {

  /** @param resultKeys the columns that identify a row of the result */
  def of(result: StoredResult, changes: Changes, resultKeys: Seq[Attribute]): Maintained = {
    val path = QueryPath.of(result.query, changes)
    if (path.all.exists(_.isInstanceOf[WindowJoin]))
      MaintainedJoin.of(result, changes, path, resultKeys)
    else MaintainedQuery.of(result, changes, path, resultKeys)
  }
}
