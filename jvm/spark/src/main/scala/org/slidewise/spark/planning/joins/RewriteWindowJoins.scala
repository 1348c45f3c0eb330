package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{AS_OF_JOIN, JOIN, LATERAL_JOIN, PLAN_EXPRESSION}

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.plan.LeftToSpark
import org.slidewise.spark.planning.PlanningFailure

/**
 * Rewrites correlated subqueries that aggregate another table's rows within a range of time as `WindowJoin`s: `LATERAL` and scalar
 * subqueries in SELECT and WHERE. Also rewrites as-of joins, and `GROUP BY` over joins by a range.
 *
 * Runs before Spark's optimizer, which would join the tables and then aggregate the pairs. A query without the form of a window
 * stays as it is, and a tag holds the reason.
 */
object RewriteWindowJoins extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!SlidewiseSettings.windowJoins(conf) || plan.isStreaming) plan
    else PlanningFailure.leaveToSpark("a subquery over another table")(rewritten(plan))(_ => plan)

  private def rewritten(plan: LogicalPlan): LogicalPlan =
    plan.transformUpWithPruning(_.containsAnyPattern(LATERAL_JOIN, AS_OF_JOIN, JOIN, PLAN_EXPRESSION)) {
      case lateral: LateralJoin => ofLateral(lateral)
      case join: AsOfJoin       => decided(join, s"as-of join (${named(join.right)})", AsOfWindow.of(join))
      case aggregate: Aggregate if aggregate.groupingExpressions.nonEmpty && joinsByRange(aggregate.child) =>
        decided(aggregate, s"GROUP BY over a join (${named(aggregate)})", GroupedJoin.of(aggregate))
      case project: Project =>
        leaveOthers(project)
        ofScalars(uncorrelated(project).asInstanceOf[Project])((child, values) =>
          project.copy(replaced(project.projectList, values), child)
        )
      case filter: Filter =>
        leaveOthers(filter)
        ofScalars(uncorrelated(filter).asInstanceOf[Filter])((child, values) =>
          Project(filter.child.output, Filter(replaced(Seq(filter.condition), values).head, child))
        )
      case other =>
        leaveOthers(other)
        uncorrelated(other)
    }

  /** Tags `node` with the reason for each subquery over a range of rows that cannot become a window join. Spark evaluates these. */
  private def leaveOthers(node: LogicalPlan): Unit =
    node.expressions.flatMap(_.collect { case subquery: SubqueryExpression => subquery }).foreach {
      case exists: Exists if hasRange(exists.plan) =>
        leave(node, "EXISTS", "EXISTS is a join in Spark; write (SELECT count(*) FROM …) > 0 instead")
      case list: ListQuery if hasRange(list.plan) =>
        val remedy = "write (SELECT count(*) FROM …) > 0 instead, with the value among its conditions"
        leave(node, s"IN (${named(list.plan)})", s"IN is a join in Spark; $remedy")
      case scalar: ScalarSubquery if !isRewrittenIn(node) && hasRange(scalar.plan) =>
        val where = if (node.isInstanceOf[Aggregate]) "an aggregation" else node.nodeName
        val remedy = "compute it in SELECT of a subquery in FROM"
        leave(node, s"scalar subquery (${named(scalar.plan)})", s"the subquery is in $where; $remedy")
      case _ =>
    }

  private def isRewrittenIn(node: LogicalPlan): Boolean =
    node.isInstanceOf[Project] || node.isInstanceOf[Filter]

  /** Whether the rows of a subquery are a range that depends on the outer query. */
  private def hasRange(subquery: LogicalPlan): Boolean = subquery.exists {
    case Filter(condition, _) =>
      Conjuncts(condition).exists(c => isRange(c) && OuterCondition.isOuter(c) && c.references.nonEmpty)
    case _ => false
  }

  /**
   * Rewrites the uncorrelated subqueries of `node`. Spark rewrites correlated subqueries itself, and accepts no nodes of other
   * projects in them.
   */
  private def uncorrelated(node: LogicalPlan): LogicalPlan = node.transformExpressions {
    case subquery: SubqueryExpression if !subquery.isCorrelated =>
      subquery.withNewPlan(rewritten(subquery.plan))
  }

  private def ofLateral(lateral: LateralJoin): LogicalPlan = {
    val query = lateral.right.plan
    val window = for {
      _ <- Either.cond(isSupported(lateral), (), s"LATERAL is joined by ${lateral.joinType.sql}")
      conditions = lateral.condition.toSeq.flatMap(Conjuncts(_)).filterNot(_ == Literal.TrueLiteral)
      _ <- Either.cond(
        conditions.forall(FramedSubquery.isPlain),
        (),
        "a condition after ON is not deterministic"
      )
      found <- FramedSubquery.of(query)
      joined <- WindowJoins.over(lateral.left, conditions.foldLeft(found)(_.having(_)))
    } yield {
      val columns = query.output.map(a => joined.results.find(_.exprId == a.exprId).get)
      joined.withColumns(columns, needsRow = lateral.joinType != LeftOuter)
    }
    decided(lateral, s"LATERAL (${named(query)})", window)
  }

  private def isSupported(lateral: LateralJoin): Boolean = lateral.joinType match {
    case LeftOuter | Inner | Cross => true
    case _                         => false
  }

  private def ofScalars[N <: UnaryNode](node: N)(
      rebuild: (LogicalPlan, Map[ExprId, Expression]) => LogicalPlan
  ): LogicalPlan = {
    val subqueries = node.expressions.flatMap(_.collect {
      case scalar: ScalarSubquery if scalar.outerAttrs.nonEmpty => scalar
    })
    val (child, values) = subqueries.foldLeft((node.child, Map.empty[ExprId, Expression])) {
      case ((below, found), scalar) =>
        val decided = for {
          query <- FramedSubquery.of(scalar.plan)
          joined <- WindowJoins.over(below, query)
        } yield joined
        decided match {
          case Right(joined) =>
            val column =
              Alias(joined.results.head.children.headOption.getOrElse(joined.results.head), "_scalar")()
            (joined.withColumns(Seq(column)), found + (scalar.exprId -> column.toAttribute))
          case Left(reason) =>
            leave(node, s"scalar subquery (${named(scalar.plan)})", reason)
            (below, found)
        }
    }
    if (values.isEmpty) node else rebuild(child, values)
  }

  private def replaced[E <: Expression](expressions: Seq[E], values: Map[ExprId, Expression]): Seq[E] =
    expressions.map(_.transform {
      case scalar: ScalarSubquery if values.contains(scalar.exprId) => values(scalar.exprId)
    }.asInstanceOf[E])

  private def decided(node: LogicalPlan, what: String, window: Either[String, LogicalPlan]): LogicalPlan =
    window.fold(leave(node, what, _), identity)

  /** The columns of a plan, for a person to read. */
  private def named(plan: LogicalPlan): String = plan.output.map(_.name).mkString(", ")

  /** Whether the plan is a join with a range condition on columns of both tables. */
  private def joinsByRange(plan: LogicalPlan, above: Seq[Expression] = Nil): Boolean = plan match {
    case Filter(condition, child)                  => joinsByRange(child, above :+ condition)
    case _: Project | _: SubqueryAlias | _: Expand => joinsByRange(plan.children.head, above)
    case join: Join                                =>
      (above ++ join.condition).flatMap(Conjuncts(_)).exists { condition =>
        isRange(condition) && condition.references.size > 1 &&
        !join.children.exists(side => condition.references.subsetOf(side.outputSet))
      }
    case _ => false
  }

  private def isRange(e: Expression): Boolean = e match {
    case _: EqualTo | _: EqualNullSafe => false
    case _                             => e.isInstanceOf[BinaryComparison]
  }

  private def leave(node: LogicalPlan, what: String, reason: String): LogicalPlan = {
    if (reason != OuterCondition.NoRange)
      node.setTagValue(
        LeftToSpark.Tag,
        node.getTagValue(LeftToSpark.Tag).getOrElse(Nil) :+ LeftToSpark(what, reason)
      )
    node
  }
}
