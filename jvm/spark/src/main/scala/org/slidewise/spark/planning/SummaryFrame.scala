package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

import org.slidewise.spark.expressions.SummarizesLastRows

/** Frames of the last W rows, which a summary that is told of each row once can answer. */
object SummaryFrame {

  /** Below this ε a summary would take more than a few megabytes, which nobody was asked for. */
  private val LeastError = 1e-6

  def fits(function: AggregateFunction, frame: SpecifiedWindowFrame): Boolean = function match {
    case f: SummarizesLastRows => f.allowedError >= LeastError && lastRows(frame).isDefined
    case _                     => false
  }

  /** W of `ROWS BETWEEN W - 1 PRECEDING AND CURRENT ROW`. */
  def lastRows(frame: SpecifiedWindowFrame): Option[Long] = frame match {
    case SpecifiedWindowFrame(RowFrame, CurrentRow, upper) if isCurrent(upper)                  => Some(1L)
    case SpecifiedWindowFrame(RowFrame, IntegerLiteral(n), upper) if n <= 0 && isCurrent(upper) =>
      Some(1L - n)
    case _ => None
  }

  private def isCurrent(bound: Expression) = bound match {
    case CurrentRow        => true
    case IntegerLiteral(0) => true
    case _                 => false
  }

  /** What a summary reads of the rows for a new answer. */
  val CurrentRowOnly: SpecifiedWindowFrame = SpecifiedWindowFrame(RowFrame, CurrentRow, CurrentRow)
}
