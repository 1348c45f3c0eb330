package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, NthValue}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, Count, First, Last}

import org.slidewise.spark.expressions.NthOfFrame

/**
 * A function whose result is the value of one row of the frame, which the place in the frame alone determines: `first_value`,
 * `last_value` and `nth_value` that respect nulls, and with them `lag` and `lead`.
 *
 * @param value
 *   what the row has; none for the number of rows in the frame
 * @param n
 *   the row's place in the frame, from 1 on; the result is null if the frame has fewer rows
 * @param fromEnd
 *   whether rows are counted from the last one back
 */
final case class RowReference(value: Option[Expression], n: Int, fromEnd: Boolean)

object RowReference {

  /** None unless the place of one row determines the result. */
  def of(function: AggregateFunction, filter: Option[Expression]): Option[RowReference] = function match {
    case _ if filter.isDefined || !function.deterministic => None
    case First(value, false)                        => Some(RowReference(Some(value), 1, fromEnd = false))
    case Last(value, false)                         => Some(RowReference(Some(value), 1, fromEnd = true))
    case NthOfFrame(value, n, fromEnd, false, _, _) => Some(RowReference(Some(value), n, fromEnd))
    case NthValue(value, n, false)                  =>
      Some(RowReference(Some(value), n.eval().asInstanceOf[Int], fromEnd = false))
    case Count(values) if values.forall(value => value.foldable && !value.nullable) =>
      Some(RowReference(None, 1, fromEnd = false))
    case _ => None
  }
}
