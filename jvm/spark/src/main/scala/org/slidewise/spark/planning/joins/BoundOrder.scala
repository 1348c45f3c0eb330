package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import org.slidewise.spark.plan.{MovedTimestamp, SolvedBound}
import org.slidewise.spark.shims.SparkExpressions

/** Finds an order of left rows in which the bounds of their frames mostly rise. */
private[joins] object BoundOrder {

  /** The expression from which all bounds have a constant distance; none if there is no such expression. */
  def common(bounds: Seq[Expression]): Option[Expression] = bounds.map(base) match {
    case first +: others
        if others.forall(_.semanticEquals(first)) && RowOrdering.isOrderable(first.dataType) =>
      Some(first)
    case _ => None
  }

  /**
   * The expression below all operations of `bound` that mostly keep the order of values, such as the addition of a constant or a
   * cast.
   */
  def base(bound: Expression): Expression = bound match {
    case Add(key, distance, _) if distance.foldable                => base(key)
    case Add(distance, key, _) if distance.foldable                => base(key)
    case Subtract(key, distance, _) if distance.foldable           => base(key)
    case DateAdd(key, days) if days.foldable                       => base(key)
    case DateSub(key, days) if days.foldable                       => base(key)
    case DateAddInterval(key, interval, _, _) if interval.foldable => base(key)
    case DateAddYMInterval(key, months) if months.foldable         => base(key)
    case AddMonths(key, months) if months.foldable                 => base(key)
    case TimestampAddYMInterval(key, months, _) if months.foldable => base(key)
    case MovedTimestamp(_, moved, _)                               => base(moved)
    case bound: SolvedBound if bound.other.foldable                => base(bound.value)
    case If(_, bound, Literal(null, _))                            => base(bound)
    case inner @ (_: Greatest | _: Least)                          => common(inner.children).getOrElse(inner)
    case UnixTimestamp(time, _, _, _) if ExactArithmetic.isTimestamp(time)   => base(time)
    case ToUnixTimestamp(time, _, _, _) if ExactArithmetic.isTimestamp(time) => base(time)
    case UnixSeconds(time)                                                   => base(time)
    case UnixMillis(time)                                                    => base(time)
    case UnixMicros(time)                                                    => base(time)
    case cast: Cast if rises(cast.child.dataType, cast.dataType)             => base(cast.child)
    case other                                                               =>
      SparkExpressions.movedTimestamp(other) match {
        case Some((key, interval)) if interval.foldable => base(key)
        case _                                          => other
      }
  }

  private def rises(from: DataType, to: DataType): Boolean = (from, to) match {
    case (DateType | TimestampType | TimestampNTZType, DateType | TimestampType | TimestampNTZType) => true
    case (TimestampType, LongType)                                                                  => true
    case (_: NumericType, _: NumericType) => Cast.canUpCast(from, to)
    case _                                => false
  }
}
