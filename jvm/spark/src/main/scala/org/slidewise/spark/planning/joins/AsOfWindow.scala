package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical._

import org.slidewise.spark.planning.ColumnDefinitions

/**
 * Converts Spark's as-of join to a window: each left row, with the right row that is nearest in time among those that meet the
 * conditions.
 */
private[joins] object AsOfWindow {

  /** The join as a window; or the reason why it has no such form. */
  def of(join: AsOfJoin): Either[String, LogicalPlan] = {
    def isOf(e: Expression, side: LogicalPlan) =
      e.references.nonEmpty && e.references.subsetOf(side.outputSet)
    join.orderExpression match {
      case distance: BinaryExpression if isOf(distance.left, join.left) && isOf(distance.right, join.right) =>
        inDirection(join, isLast = true)
      case distance: BinaryExpression if isOf(distance.left, join.right) && isOf(distance.right, join.left) =>
        inDirection(join, isLast = false)
      case If(GreaterThan(left, right), _, _) if isOf(left, join.left) && isOf(right, join.right) =>
        nearest(join, left, right)
      // Times without a distance: Spark takes the first matching row that it meets.
      case If(EqualTo(left, right), _, If(_: GreaterThan, _, _))
          if isOf(left, join.left) && isOf(right, join.right) =>
        join.asOfCondition match {
          case GreaterThan(time, _) if isOf(time, join.left)        => inDirection(join, isLast = true)
          case GreaterThanOrEqual(time, _) if isOf(time, join.left) => inDirection(join, isLast = true)
          case LessThan(time, _) if isOf(time, join.left)           => inDirection(join, isLast = false)
          case LessThanOrEqual(time, _) if isOf(time, join.left)    => inDirection(join, isLast = false)
          case other => Left(s"${other.sql} is not a comparison of two times")
        }
      case other => Left(s"${other.sql} is not the distance of two times")
    }
  }

  private def inDirection(join: AsOfJoin, isLast: Boolean): Either[String, LogicalPlan] =
    for {
      query <- FramedSubquery.ofNearest(join.right, outer(join, conditions(join)), isLast)
      joined <- WindowJoins.over(join.left, query)
    } yield joined.withColumns(query.results, needsRow = isInner(join))

  /**
   * Joins each left row with the nearer of two right rows: the last one up to the left row's time, and the first one from this time
   * on.
   */
  private def nearest(join: AsOfJoin, left: Expression, right: Expression): Either[String, LogicalPlan] = {
    // A condition of the user holds for both rows. The tolerance is on both sides of the left time.
    val (ofTime, ofBoth) = conjuncts(join.asOfCondition).partition {
      case comparison: BinaryComparison => comparison.left.semanticEquals(right)
      case _                            => false
    }
    val (ofLower, ofUpper) = ofTime.partition {
      case _: GreaterThan | _: GreaterThanOrEqual => true
      case _                                      => false
    }
    val (different, others) = ofBoth.partition {
      case Not(EqualTo(a, b)) => a.semanticEquals(left) && b.semanticEquals(right)
      case _                  => false
    }
    val both = join.condition.toSeq.flatMap(conjuncts) ++ others
    val isStrict = different.nonEmpty
    val before = if (isStrict) LessThan(right, left) else LessThanOrEqual(right, left)
    val after = if (isStrict) GreaterThan(right, left) else GreaterThanOrEqual(right, left)
    for {
      backward <- FramedSubquery.ofNearest(
        join.right,
        outer(join, both ++ ofLower :+ before),
        isLast = true
      )
      joinedBackward <- WindowJoins.over(join.left, backward.renamed)
      last = joinedBackward.results
      forward <- FramedSubquery.ofNearest(
        join.right,
        outer(join, both ++ ofUpper :+ after),
        isLast = false
      )
      joined <- WindowJoins.over(joinedBackward.withColumns(last ++ joinedBackward.found), forward.renamed)
    } yield {
      val first = joined.results
      val found = joinedBackward.found.get
      def distance(to: Seq[NamedExpression]) =
        new ColumnDefinitions(AttributeMap(join.right.output.zip(to.map(_.toAttribute))))
          .in(join.orderExpression)
      val all = joined.withColumns(first ++ joined.found)
      val takesLast = And(
        IsNotNull(found),
        Or(IsNull(joined.found.get), LessThanOrEqual(distance(last), distance(first)))
      )
      val columns = join.right.output.zip(last.zip(first)).map { case (column, (a, b)) =>
        Alias(If(takesLast, a.toAttribute, b.toAttribute), column.name)(column.exprId, column.qualifier)
      }
      val kept = if (isInner(join)) Filter(Or(IsNotNull(found), IsNotNull(joined.found.get)), all) else all
      Project(join.left.output ++ columns, kept)
    }
  }

  private def isInner(join: AsOfJoin): Boolean = join.joinType != LeftOuter

  private def conditions(join: AsOfJoin): Seq[Expression] =
    (join.condition.toSeq :+ join.asOfCondition).flatMap(conjuncts)

  private def conjuncts(condition: Expression): Seq[Expression] =
    Conjuncts(condition).filterNot(_ == Literal.TrueLiteral)

  private def outer(join: AsOfJoin, conditions: Seq[Expression]): Seq[Expression] =
    conditions.map(OuterCondition.asOuter(_, join.left))
}
