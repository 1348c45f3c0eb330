package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  FrameType,
  NamedExpression,
  SpecifiedWindowFrame
}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

import org.slidewise.spark.execution.states.StateTypes

/**
 * An aggregate function over a frame.
 *
 * @param result
 *   the ordinal of its answer among the operator's window expressions
 * @param guard
 *   what tells that a frame must be recalculated
 */
final case class PlannedAggregate(
    function: AggregateFunction,
    filter: Option[Expression],
    result: Int,
    guard: Option[MagnitudeExceeds]
)

/** The functions that share a frame and an algorithm, and so one sequence of states. */
final case class FramePlan(
    frame: SpecifiedWindowFrame,
    algorithm: Algorithm,
    aggregates: Seq[PlannedAggregate]
) {
  def frameType: FrameType = frame.frameType

  /** The frame of the rows that are read for an answer. */
  def read: SpecifiedWindowFrame =
    if (algorithm == Algorithm.AdditiveSummaries) SummaryFrame.CurrentRowOnly else frame
}

object FramePlan {

  /** Groups window expressions, all of which [[WindowDecision]] has accepted, by frame and algorithm. */
  def group(expressions: Seq[NamedExpression], mergeApproximate: Boolean): Seq[FramePlan] = {
    val planned = expressions.zipWithIndex.map { case (expression, ordinal) =>
      WindowDecision.of(expression, mergeApproximate) match {
        case WindowDecision.Run(frame, algorithm, function, filter) =>
          (frame, algorithm) -> PlannedAggregate(function, filter, ordinal, guard(function, algorithm))
        case WindowDecision.Leave(reason) =>
          throw new IllegalStateException(
            s"${expression.sql} was left to Spark ($reason) and cannot be planned"
          )
      }
    }
    planned.map(_._1).distinct.flatMap { case key @ (frame, algorithm) =>
      // States that can be copied as bytes are not slowed down by others.
      val (fixed, others) = planned.collect { case (`key`, aggregate) => aggregate }.partition(hasFixedWidth)
      Seq(fixed, others).filter(_.nonEmpty).map(FramePlan(frame, algorithm, _))
    }
  }

  private def hasFixedWidth(aggregate: PlannedAggregate): Boolean =
    aggregate.function.aggBufferAttributes.forall(a => StateTypes.isFixedWidth(a.dataType))

  private def guard(function: AggregateFunction, algorithm: Algorithm): Option[MagnitudeExceeds] =
    if (algorithm == Algorithm.Recalculation) None else RecalculationGuard.of(function)
}
