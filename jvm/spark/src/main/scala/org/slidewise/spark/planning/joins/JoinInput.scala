package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._

import org.slidewise.spark.planning.ColumnDefinitions
import org.slidewise.spark.shims.CommonExpressions

/**
 * The join of two tables below an aggregate that groups by columns of the left table.
 *
 * @param keepsAll
 *   whether left rows without right rows are kept
 * @param grouping
 *   the grouping expressions, over left rows
 * @param results
 *   the result columns of the aggregate, over both tables
 * @param both
 *   the conditions on both tables, with columns of the left table as outer references
 */
final private[joins] case class JoinInput(
    left: LogicalPlan,
    right: LogicalPlan,
    keepsAll: Boolean,
    grouping: Seq[Expression],
    results: Seq[NamedExpression],
    both: Seq[Expression],
    ofLeft: Seq[Expression],
    ofRight: Seq[Expression]
) {
  def leftRows: LogicalPlan = ofLeft.reduceOption(And).fold(left)(Filter(_, left))

  def rightOf(condition: OuterCondition): LogicalPlan =
    (ofRight ++ condition.required).reduceOption(And).fold(right)(Filter(_, right))
}

private[joins] object JoinInput {

  def of(
      plan: LogicalPlan,
      grouping: Seq[Expression],
      results: Seq[NamedExpression],
      above: Seq[Expression] = Nil
  ): Either[String, JoinInput] = plan match {
    case SubqueryAlias(_, child)  => of(child, grouping, results, above)
    case view: View               => of(view.child, grouping, results, above)
    case Filter(condition, child) => of(child, grouping, results, Conjuncts(condition) ++ above)
    case Project(columns, child) if columns.forall(FramedSubquery.isPlain) =>
      val below = ColumnDefinitions.of(columns)
      if (below.fitIn(grouping ++ results ++ above))
        of(child, grouping.map(below.in), results.map(below.inNamed), above.map(below.in))
      else Left(FramedSubquery.TooLong)
    case join: Join => ofJoin(join, grouping, results, above)
    case _: Expand  =>
      Left(
        "ROLLUP, CUBE and GROUPING SETS group the joined rows several times; " +
          "group them by columns of the left table in a subquery, and roll up its rows"
      )
    case other => Left(s"${other.nodeName} below GROUP BY is no join")
  }

  private def ofJoin(
      join: Join,
      grouping: Seq[Expression],
      results: Seq[NamedExpression],
      above: Seq[Expression]
  ): Either[String, JoinInput] = {
    val groups = AttributeSet(grouping.flatMap(_.references))
    def isOf(side: LogicalPlan) = groups.subsetOf(side.outputSet)
    join.joinType match {
      case Inner | Cross if groups.nonEmpty && isOf(join.left) =>
        sides(join.left, join.right, keepsAll = false, join, grouping, results, above)
      case Inner | Cross if groups.nonEmpty && isOf(join.right) =>
        sides(join.right, join.left, keepsAll = false, join, grouping, results, above)
      case LeftOuter if groups.nonEmpty && isOf(join.left) =>
        sides(join.left, join.right, keepsAll = true, join, grouping, results, above)
      case RightOuter if groups.nonEmpty && isOf(join.right) =>
        sides(join.right, join.left, keepsAll = true, join, grouping, results, above)
      case other =>
        Left(s"the groups of a ${other.sql} JOIN are not columns of the table whose rows are kept")
    }
  }

  private def sides(
      left: LogicalPlan,
      right: LogicalPlan,
      keepsAll: Boolean,
      join: Join,
      grouping: Seq[Expression],
      results: Seq[NamedExpression],
      above: Seq[Expression]
  ): Either[String, JoinInput] = {
    def isOfLeft(e: Expression) = e.references.subsetOf(left.outputSet)
    def isOfRight(e: Expression) = e.references.nonEmpty && e.references.subsetOf(right.outputSet)
    val on = join.condition.toSeq.flatMap(Conjuncts(_))
    val all = on ++ above
    val (ofRight, rest) = all.partition(isOfRight)
    // An ON condition of an outer join drops no left row. A left row that does not meet it has no right rows.
    val (ofLeft, both) = rest.partition(c => isOfLeft(c) && !(keepsAll && on.exists(_ eq c)))
    if (!all.forall(FramedSubquery.isPlain)) Left("a condition of the join is not deterministic")
    else if (keepsAll && above.exists(!isOfLeft(_)))
      Left("a filter above the outer join reads the other table")
    else
      Right(
        JoinInput(
          left,
          right,
          keepsAll,
          grouping,
          results,
          both.map(OuterCondition.asOuter(_, left)),
          ofLeft,
          ofRight
        )
      )
  }
}

/** The conjuncts of a condition, also of BETWEEN. */
private[joins] object Conjuncts {
  def apply(condition: Expression): Seq[Expression] = condition match {
    case And(a, b)                       => apply(a) ++ apply(b)
    case replaceable: RuntimeReplaceable =>
      CommonExpressions.inlined(replaceable.replacement) match {
        case and: And => apply(and)
        case _        => Seq(replaceable)
      }
    case other => Seq(other)
  }
}
