package org.slidewise.spark.refresh

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.logical._

import org.slidewise.spark.plan.WindowJoin

/**
 * The rows of an operator that rows of a table may have a part in, as far as each row of the table by itself determines them. An
 * aggregation gives the keys of the groups, once for each row. Columns that one row does not determine are left out, and so are
 * filters on them.
 */
private[refresh] object Images {

  /** The rows of `plan` to which `rows` in place of `source` lead. */
  def of(plan: LogicalPlan, source: LogicalPlan, rows: LogicalPlan): LogicalPlan = {
    def follow(node: LogicalPlan): LogicalPlan =
      if (node eq source) rows
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
            val onLeft = join.left.exists(_ eq source)
            val followed =
              if (onLeft) join.copy(left = follow(join.left)) else join.copy(right = follow(join.right))
            val known = followed.left.outputSet ++ followed.right.outputSet
            if (!followed.condition.forall(_.references.subsetOf(known)))
              RefusedRefresh.refuse(
                "a join below a window depends on results of an aggregation",
                "a join on keys of the groups"
              )
            if (QueryPath.isKept(join, onLeft)) followed
            else {
              // The rows of the other side that a changed row matches, with or without a match before and after.
              val other = if (onLeft) followed.right else followed.left
              Project(other.output, followed.copy(joinType = Inner))
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
          case other            => other.mapChildren(c => if (c.exists(_ eq source)) follow(c) else c)
        }
    follow(plan)
  }

  private def isKnown(e: Expression, below: LogicalPlan): Boolean = e.references.subsetOf(below.outputSet)

  private def isAggregated(e: Expression): Boolean = e.exists(_.isInstanceOf[AggregateExpression])
}
