package org.slidewise.spark.planning.joins

import scala.util.{Success, Try}

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePatternBits
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
    if (!mayJoin(plan) || plan.isStreaming || CachedRows.isLookingUp) plan
    else {
      val isOn = Try(SlidewiseSettings.windowJoins(conf))
      if (isOn == Success(false)) plan
      else
        PlanningFailure.leaveToSpark("a subquery over another table") {
          val found = rewritten(plan)
          // A setting with an invalid value fails only queries with windows.
          if ((found eq plan) || isOn.get) found else plan
        }(_ => plan)
    }

  private def mayJoin(node: TreePatternBits): Boolean =
    node.containsAnyPattern(LATERAL_JOIN, AS_OF_JOIN, JOIN, PLAN_EXPRESSION)

  private def rewritten(plan: LogicalPlan): LogicalPlan = plan.transformUpWithPruning(mayJoin) { case node =>
    val left = new Reasons
    left.tag(node, rewritten(node, left))
  }

  private def rewritten(node: LogicalPlan, left: Reasons): LogicalPlan = node match {
    case lateral: LateralJoin => ofLateral(lateral, left)
    case join: AsOfJoin       => left.decided(join, s"as-of join (${named(join.right)})", AsOfWindow.of(join))
    case aggregate: Aggregate if aggregate.groupingExpressions.nonEmpty && joinsByRange(aggregate.child) =>
      val what = s"GROUP BY over a join (${named(aggregate)})"
      left.decided(aggregate, what, CachedRows.kept(aggregate)(GroupedJoin.of(aggregate)))
    case project: Project =>
      leaveOthers(project, left)
      ofScalars(uncorrelated(project).asInstanceOf[Project], left)((project, child, values) =>
        project.copy(replaced(project.projectList, values), child)
      )
    case filter: Filter =>
      leaveOthers(filter, left)
      ofScalars(uncorrelated(filter).asInstanceOf[Filter], left)((filter, child, values) =>
        Project(filter.child.output, Filter(replaced(Seq(filter.condition), values).head, child))
      )
    case other =>
      leaveOthers(other, left)
      uncorrelated(other)
  }

  /** Collects the reason for each subquery over a range of rows that cannot become a window join. Spark evaluates these. */
  private def leaveOthers(node: LogicalPlan, left: Reasons): Unit =
    node.expressions.flatMap(_.collect { case subquery: SubqueryExpression => subquery }).foreach {
      case exists: Exists if hasRange(exists.plan) =>
        left.add("EXISTS", "EXISTS is a join in Spark; write (SELECT count(*) FROM …) > 0 instead")
      case list: ListQuery if hasRange(list.plan) =>
        val remedy = "write (SELECT count(*) FROM …) > 0 instead, with the value among its conditions"
        left.add(s"IN (${named(list.plan)})", s"IN is a join in Spark; $remedy")
      case scalar: ScalarSubquery if !isRewrittenIn(node) && hasRange(scalar.plan) =>
        val where = if (node.isInstanceOf[Aggregate]) "an aggregation" else node.nodeName
        val remedy = "compute it in SELECT of a subquery in FROM"
        left.add(s"scalar subquery (${named(scalar.plan)})", s"the subquery is in $where; $remedy")
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

  private def ofLateral(lateral: LateralJoin, left: Reasons): LogicalPlan = {
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
    left.decided(lateral, s"LATERAL (${named(query)})", window)
  }

  private def isSupported(lateral: LateralJoin): Boolean = lateral.joinType match {
    case LeftOuter | Inner | Cross => true
    case _                         => false
  }

  private def ofScalars[N <: UnaryNode](node: N, left: Reasons)(
      rebuild: (N, LogicalPlan, Map[ExprId, Expression]) => LogicalPlan
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
            left.add(s"scalar subquery (${named(scalar.plan)})", reason)
            (below, found)
        }
    }
    if (values.isEmpty) node else rebuild(node, child, values)
  }

  private def replaced[E <: Expression](expressions: Seq[E], values: Map[ExprId, Expression]): Seq[E] =
    expressions.map(_.transform {
      case scalar: ScalarSubquery if values.contains(scalar.exprId) => values(scalar.exprId)
    }.asInstanceOf[E])

  /** The columns of a plan, for a person to read. */
  private def named(plan: LogicalPlan): String = plan.output.map(_.name).mkString(", ")

  /** Whether the plan is a join with a range condition on columns of both tables. */
  private def joinsByRange(plan: LogicalPlan, above: Seq[Expression] = Nil): Boolean = plan match {
    case Filter(condition, child)                            => joinsByRange(child, above :+ condition)
    case _: Project | _: SubqueryAlias | _: View | _: Expand => joinsByRange(plan.children.head, above)
    case join: Join                                          =>
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

  /** What Spark evaluates of one node. */
  final private class Reasons {
    private[this] var all = Seq.empty[LeftToSpark]

    def add(what: String, reason: String): Unit =
      if (reason != OuterCondition.NoRange) all :+= LeftToSpark(what, reason)

    def decided(node: LogicalPlan, what: String, window: Either[String, LogicalPlan]): LogicalPlan =
      window.fold({ reason => add(what, reason); node }, identity)

    /**
     * Replaces the tag of the node before. The plan of a DataFrame or a view is rewritten for each of its queries, at times by several
     * threads: a tag that stays is not set again.
     */
    def tag(before: LogicalPlan, after: LogicalPlan): LogicalPlan = {
      // Spark copies the tags of the node before to a node without tags.
      if ((after ne before) || after.getTagValue(LeftToSpark.Tag).getOrElse(Nil) != all)
        after.setTagValue(LeftToSpark.Tag, all)
      after
    }
  }
}
