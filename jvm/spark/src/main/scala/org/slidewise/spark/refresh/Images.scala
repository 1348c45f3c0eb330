package org.slidewise.spark.refresh

import java.util.IdentityHashMap

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.logical._

import org.slidewise.spark.plan.WindowJoin

/**
 * Finds the rows of an operator to which rows of a table may contribute. Keeps only the columns that each row of the table
 * determines by itself. Drops the other columns and filters on them. For an aggregation, returns the keys of the groups, once for
 * each row.
 */
private[refresh] object Images {

  /**
   * The rows of `plan` to which `rows` contribute, read in place of `source`.
   *
   * @param others
   *   the rows to read in place of other nodes; columns that depend on more than one of these rows are dropped, too
   */
  def of(
      plan: LogicalPlan,
      source: LogicalPlan,
      rows: LogicalPlan,
      others: Seq[(LogicalPlan, LogicalPlan)] = Nil
  ): LogicalPlan = {
    val replaced = new IdentityHashMap[LogicalPlan, LogicalPlan]
    ((source -> rows) +: others).foreach { case (node, other) => replaced.put(node, other) }
    val ofSource = nodesAbove(plan, _ eq source)
    val ofAny = nodesAbove(plan, replaced.containsKey(_))
    def follow(node: LogicalPlan): LogicalPlan =
      if (replaced.containsKey(node)) replaced.get(node)
      else if (!ofAny.containsKey(node)) node
      else
        node match {
          case Project(columns, child) =>
            val below = follow(child)
            Project(columns.filter(isKnown(_, below)), below)
          case groups: Aggregate =>
            val below = follow(groups.child)
            Project(groups.aggregateExpressions.filter(c => isKnown(c, below) && !isAggregated(c)), below)
          case filter @ Filter(condition, child) =>
            val below = follow(child)
            if (isKnown(condition, below)) filter.copy(child = below) else below
          case join: Join =>
            val followed = join.copy(left = follow(join.left), right = follow(join.right))
            def side(left: Boolean) = if (left) join.left else join.right
            def isLookedUp(left: Boolean) = ofAny.containsKey(side(left)) && !QueryPath.isKept(join, left)
            Seq(true, false).find(left => ofSource.containsKey(side(left))) match {
              // All rows of the other side that match a changed row, whether or not they have a match before and after the change.
              case Some(left) if isLookedUp(left) =>
                Project(
                  (if (left) followed.right else followed.left).output,
                  checked(followed).copy(joinType = Inner)
                )
              case None if isLookedUp(left = false) => followed.left
              case None if isLookedUp(left = true)  => followed.right
              case _                                => checked(followed)
            }
          case join: WindowJoin   => follow(join.left)
          case generate: Generate =>
            val below = follow(generate.child)
            if (isKnown(generate.generator, below))
              generate.copy(child = below, unrequiredChildIndex = Nil)
            else below
          case expand: Expand =>
            val below = follow(expand.child)
            if (expand.projections.flatten.forall(isKnown(_, below))) expand.copy(child = below) else below
          case Distinct(child)  => follow(child)
          case other: UnaryNode => follow(other.child)
          case other            => other.mapChildren(follow)
        }
    follow(plan)
  }

  private def checked(join: Join): Join = {
    if (!join.condition.forall(_.references.subsetOf(join.left.outputSet ++ join.right.outputSet)))
      RefusedRefresh.refuse(
        "the condition of a join below a window depends on more than one changed row",
        "a join on keys of groups, or on columns of one table"
      )
    join
  }

  /** The nodes for which `isFound` is true, and all nodes above them. */
  private def nodesAbove(plan: LogicalPlan, isFound: LogicalPlan => Boolean) = {
    val above = new IdentityHashMap[LogicalPlan, LogicalPlan]
    def visit(node: LogicalPlan): Boolean = {
      val found = isFound(node) || node.children.map(visit).contains(true)
      if (found) above.put(node, node)
      found
    }
    visit(plan)
    above
  }

  private def isKnown(e: Expression, below: LogicalPlan): Boolean = e.references.subsetOf(below.outputSet)

  private def isAggregated(e: Expression): Boolean = e.exists(_.isInstanceOf[AggregateExpression])
}
