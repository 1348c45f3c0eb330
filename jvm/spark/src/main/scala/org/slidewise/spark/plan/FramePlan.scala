package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

/** A call of an aggregate function over the rows for which `filter` is true. */
final case class AggregateCall(description: FunctionDescription, filter: Option[Expression]) {
  def function: AggregateFunction = description.aggregate

  /** The row whose value is the result; none if the result is not the value of one row. */
  def reference: Option[RowReference] =
    if (filter.isEmpty && function.deterministic) description.reference else None
}

/**
 * An aggregate function over a frame.
 *
 * @param answer
 *   the ordinal of its result among the answers of the operator
 * @param guard
 *   a boolean aggregate, true for frames that must be recalculated from their rows; none if no frame must be
 */
final case class PlannedAggregate(call: AggregateCall, answer: Int, guard: Option[AggregateCall] = None) {
  def description: FunctionDescription = call.description
  def function: AggregateFunction = call.function
  def filter: Option[Expression] = call.filter
}

/** The aggregate functions that share a frame and an evaluation method, and so one sequence of aggregation buffers. */
final case class FramePlan(
    frame: Frame,
    method: EvaluationMethod,
    aggregates: Seq[PlannedAggregate]
) {

  /** The rows that evaluation reads for an answer. A summary reads only the current row. */
  def read: Frame = if (method == EvaluationMethod.AdditiveSummaries) Frame.Current else frame

  def guards: Seq[PlannedAggregate] = aggregates.filter(_.guard.isDefined)
}
