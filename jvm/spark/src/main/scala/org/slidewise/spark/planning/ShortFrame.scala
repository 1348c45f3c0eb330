package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._

import org.slidewise.spark.expressions.FixedSizeBuffer

/** Frames of so few rows that going through them again costs less than keeping and merging states. */
object ShortFrame {

  def fits(function: AggregateFunction, frame: SpecifiedWindowFrame): Boolean =
    rows(frame).exists(_ <= longest(function))

  /** The rows of a frame that is not cut off at an end of its partition; none if its key decides. */
  private def rows(frame: SpecifiedWindowFrame): Option[Long] = frame match {
    case SpecifiedWindowFrame(RowFrame, lower, upper) =>
      for (l <- offset(lower); u <- offset(upper)) yield u - l + 1
    case _ => None
  }

  private def offset(bound: Expression): Option[Long] = bound match {
    case CurrentRow             => Some(0L)
    case IntegerLiteral(offset) => Some(offset.toLong)
    case _                      => None
  }

  /**
   * Measured, by both ways over frames of growing length: small states are merged about as fast as rows are added, many
   * registers are not.
   */
  private def longest(function: AggregateFunction): Long = function match {
    case _: DeclarativeAggregate | _: FixedSizeBuffer => 2
    case _: HyperLogLogPlusPlus                       => 8
    case _                                            => 0
  }
}
