package org.slidewise.spark.refresh

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreePattern.{CURRENT_LIKE, PLAN_EXPRESSION}

import org.slidewise.spark.plan.{WindowJoin, WindowsOfTime}
import org.slidewise.spark.planning.ColumnDefinitions

/**
 * The operators from the result of a query down to the changed tables. Each operator processes single rows, or groups of rows by
 * keys. Queries with other operators on the path are refused.
 *
 * @param nodes
 *   the operators above all changed tables, from the top down
 * @param branches
 *   for each changed table, the operators between `nodes` and the table
 */
final private[refresh] class QueryPath private (
    val nodes: Seq[LogicalPlan],
    val branches: Seq[Seq[LogicalPlan]]
) {

  /** The operators of the whole path. */
  def all: Seq[LogicalPlan] = nodes ++ branches.flatten

  /** The columns of Project and Aggregate along the path in terms of the columns below, if each row determines them by itself. */
  private val definitions: Map[ExprId, Expression] = {
    val sizes = mutable.Map.empty[ExprId, Long]
    // A column whose definition would be too large stays a column of its own.
    def isSmall(column: Alias) = {
      val size = ColumnDefinitions.size(column.child, a => sizes.getOrElse(a.exprId, 1L))
      sizes(column.exprId) = if (size > ColumnDefinitions.LargestSize) 1L else size
      size <= ColumnDefinitions.LargestSize
    }
    all.reverse.foldLeft(Map.empty[ExprId, Expression]) { (known, node) =>
      val named = node match {
        case Project(columns, _) => columns
        case groups: Aggregate   => groups.aggregateExpressions
        case _                   => Nil
      }
      known ++ named.collect {
        case alias: Alias if isOfRow(alias.child) && isSmall(alias) =>
          alias.exprId -> replaced(alias.child, known)
      }
    }
  }

  // Spark casts the columns of a view to the types that they had when the view was created.
  private def replaced(e: Expression, known: Map[ExprId, Expression]): Expression = e.transformUp {
    case a: AttributeReference                             => known.getOrElse(a.exprId, a)
    case Cast(child, kind, _, _) if child.dataType == kind => child
  }

  private def isOfRow(e: Expression): Boolean =
    e.deterministic && !e.exists {
      case _: AggregateExpression | _: WindowExpression | _: SubqueryExpression => true
      case _                                                                    => false
    }

  /** The expression in terms of the columns of tables and of operators' results. Equal expressions have equal definitions. */
  def definitionOf(e: Expression): Expression =
    replaced(e, definitions).canonicalized

  /** The expression over columns of the result that has the same value; none if there is none. */
  def inResult(e: Expression, result: Seq[Attribute]): Option[Expression] = {
    def column(of: Expression) = result.find(a => definitionOf(a) == of)
    column(definitionOf(e)).orElse(e match {
      case GetStructField(window, at, name) => column(definitionOf(window)).map(GetStructField(_, at, name))
      case _                                => None
    })
  }

  /** The windows of time that operators along the path generate, each with its `Generate`. */
  def windowsOfTime: Seq[(WindowsOfTime, Generate)] = all.collect {
    case generate @ Generate(windows: WindowsOfTime, _, _, _, _, _) => windows -> generate
  }
}

private[refresh] object QueryPath {

  def of(query: LogicalPlan, changes: Changes): QueryPath = {
    query.collectWithSubqueries { case node => node.expressions }.flatten.foreach(checkValue)
    val paths = changes.tables.map { case (node, table) =>
      query.foreach(_.expressions.foreach(checkSubqueries(_, node, table)))
      val path = to(node, query).getOrElse(Nil)
      path.foreach(check(_, table))
      path
    }
    val shared = paths.reduce((a, b) => a.zip(b).takeWhile { case (x, y) => x eq y }.map(_._1))
    new QueryPath(shared, paths.map(_.drop(shared.size)))
  }

  /** The path along operators that the caller has checked. */
  def along(nodes: Seq[LogicalPlan]): QueryPath = new QueryPath(nodes, Nil)

  /**
   * The path from `plan` down to `source`, if a filter may drop rows of `source`: it then drops only rows of `plan` with the same
   * values. None otherwise.
   */
  def filterable(plan: LogicalPlan, source: LogicalPlan): Option[QueryPath] =
    to(source, plan)
      .filter(_.forall {
        case _: Project | _: Filter | _: SubqueryAlias | _: View | _: Aggregate | _: Distinct | _: Generate |
            _: Expand | _: RepartitionOperation | _: RebalancePartitions | _: ResolvedHint =>
          true
        case join: Join => isKept(join, join.left.exists(_ eq source))
        case _          => false
      })
      .map(along)

  private def to(source: LogicalPlan, plan: LogicalPlan): Option[Seq[LogicalPlan]] =
    if (plan eq source) Some(Nil)
    else plan.children.iterator.map(to(source, _)).collectFirst { case Some(below) => plan +: below }

  private def checkSubqueries(e: Expression, source: LogicalPlan, table: ChangedTable): Unit =
    if (e.containsPattern(PLAN_EXPRESSION)) e.foreach {
      case subquery: SubqueryExpression if reads(subquery.plan, source) =>
        RefusedRefresh.refuse(
          s"a subquery in an expression reads ${table.name}, of which rows have changed",
          "a join with the table, or a window over it"
        )
      case _ =>
    }

  /** Whether the plan, or a subquery within it, reads the table, or the only table of the view. */
  private def reads(plan: LogicalPlan, source: LogicalPlan): Boolean = {
    val table = source.collectLeaves() match {
      case Seq(_: LocalRelation | _: Range | _: OneRowRelation) => None
      case Seq(one)                                             => Some(one)
      case _                                                    => None
    }
    plan
      .collectWithSubqueries { case node => node }
      .exists(node => node.sameResult(source) || table.exists(node.sameResult(_)))
  }

  /** Refuses expressions whose values are others when the whole query runs again, in any part of the query. */
  private def checkValue(e: Expression): Unit = {
    if (!e.deterministic)
      RefusedRefresh.refuse(
        s"${e.sql} may give another value whenever it is evaluated",
        "expressions with one value for a row"
      )
    if (e.containsPattern(CURRENT_LIKE))
      RefusedRefresh.refuse(
        s"the value of ${e.sql} changes with the time of the query",
        "a constant, or a column"
      )
  }

  private def check(node: LogicalPlan, table: ChangedTable): Unit = {
    if (node.output.exists(_.metadata.contains(SessionWindow.marker)))
      RefusedRefresh.refuse(
        s"a row of ${table.name} may join two sessions of session_window into one",
        "window(), or a refresh of the rows below the sessions"
      )
    node match {
      case _: Project | _: Filter | _: SubqueryAlias | _: View | _: Window | _: Generate | _: Expand |
          _: Aggregate | _: WindowJoin | _: Sort | _: RepartitionOperation | _: RebalancePartitions |
          _: ResolvedHint | _: Distinct =>
      case join: Join                                           => checkJoin(join)
      case _: GlobalLimit | _: LocalLimit | _: Offset | _: Tail =>
        RefusedRefresh.refuse(
          "a change of a row may change which rows are within the LIMIT or the OFFSET",
          "a filter on row_number()"
        )
      case _: Union =>
        RefusedRefresh.refuse(s"the query reads ${table.name} in a UNION", "one refresh for each part")
      case other => RefusedRefresh.refuse(s"a refresh cannot follow changes through ${other.nodeName}", Taken)
    }
  }

  private def checkJoin(join: Join): Unit = join.joinType match {
    case _: InnerLike | LeftOuter | LeftSemi | LeftAnti | RightOuter =>
    case other                                                       =>
      RefusedRefresh.refuse(
        s"a changed row may change rows of both sides of the ${other.sql} JOIN",
        "INNER JOIN, LEFT JOIN, LEFT SEMI JOIN or LEFT ANTI JOIN"
      )
  }

  /**
   * Refuses joins above results of windows or of groups that add or drop rows of the other side where these have no match.
   *
   * @param nodes
   *   operators from the result down to the results of windows or of groups
   */
  def checkAbove(nodes: Seq[LogicalPlan], changes: Changes): Unit =
    nodes.zip(nodes.drop(1)).foreach {
      case (join: Join, below) if !isKept(join, join.left eq below) =>
        RefusedRefresh.refuse(
          s"rows of the ${join.joinType.sql} JOIN exist or not depending on results computed from ${changes.names}",
          "a join that keeps the rows of the windows or groups, or a refresh of these alone"
        )
      case _ =>
    }

  /** Whether the join only looks up the other side for each row of the left side, or of the right side. */
  def isKept(join: Join, left: Boolean): Boolean = join.joinType match {
    case _: InnerLike => true
    case RightOuter   => !left
    case _            => left
  }

  private val Taken =
    "window functions, filters, projections, joins, and GROUP BY below them"
}
