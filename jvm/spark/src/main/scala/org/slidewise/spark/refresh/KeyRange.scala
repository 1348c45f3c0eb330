package org.slidewise.spark.refresh

import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.plan.StateTypes

/** The least and the greatest value of an order key, in the type of [[OrderKey.bound]]; none without limit. */
final private[refresh] case class KeyRange(first: Option[Literal], last: Option[Literal]) {

  /** The condition that a key, in the type of its bounds, lies in the range; none if all do. */
  def contains(key: Expression): Option[Expression] =
    (first.map(GreaterThanOrEqual(key, _)).toSeq ++ last.map(LessThanOrEqual(key, _)))
      .reduceOption[Expression](And(_, _))
      .map { within =>
        // NaN is the greatest number, and in no range that files record.
        if (StateTypes.isFloating(key.dataType) && last.forall(isNaN)) Or(within, IsNaN(key)) else within
      }

  private def isNaN(end: Literal): Boolean = IsNaN(end).eval() == true

  /** The range, with its end moved up by a distance. */
  def longer(by: Long): KeyRange = copy(last = last.flatMap { end =>
    Option(OrderKey.at(end, Some(BigDecimal(by)), 1).eval()).map(Literal(_, end.dataType))
  })
}
