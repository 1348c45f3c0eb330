package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical._

/**
 * Spark's as-of join in the form of a window: each left row with the right row that is nearest in time, among those that the
 * conditions allow.
 */
private[joins] object AsOfWindow {

  /** The join as a window; or the reason why it is none. */
  def of(join: AsOfJoin): Either[String, LogicalPlan] =
    for {
      isLast <- direction(join)
      query <- FramedSubquery.ofNearest(join.right, conditions(join), isLast)
      joined <- WindowJoins.over(join.left, query)
    } yield joined.withColumns(query.results, needsRow = join.joinType != LeftOuter)

  private def conditions(join: AsOfJoin): Seq[Expression] =
    (join.condition.toSeq :+ join.asOfCondition).flatMap(Conjuncts(_)).map(_.transform {
      case a: Attribute if join.left.outputSet.contains(a) => OuterReference(a)
    })

  /** Whether the nearest right row is the last one in the frame; otherwise it is the first. */
  private def direction(join: AsOfJoin): Either[String, Boolean] = {
    def isOf(e: Expression, side: LogicalPlan) = e.references.nonEmpty && e.references.subsetOf(side.outputSet)
    join.orderExpression match {
      case distance: BinaryExpression if isOf(distance.left, join.left) && isOf(distance.right, join.right) => Right(true)
      case distance: BinaryExpression if isOf(distance.left, join.right) && isOf(distance.right, join.left) => Right(false)
      case other => Left(s"the order of ${other.sql} is neither that of the times before nor that of those after")
    }
  }
}
