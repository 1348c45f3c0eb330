package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}

/**
 * The plan of one operator that evaluates windows over another table.
 *
 * @param window
 *   the windows over the right rows, whose partition keys are the right keys and whose order is their time
 * @param leftKeys
 *   the keys of a left row
 * @param leftOrder
 *   the order in which the operator evaluates left rows
 * @param times
 *   the number of equal left rows that a row stands for; none for one
 */
final case class WindowJoinPlan(
    window: SlidingWindowPlan,
    leftKeys: Seq[Expression],
    leftOrder: Seq[SortOrder],
    times: Option[Expression]
) {

  /** Whether each result is the value of one right row. */
  def isAsOf: Boolean =
    byRows.frames.flatMap(_.aggregates).forall(_.call.reference.exists(_.value.isDefined))

  /** Whether a result depends on all right rows before or after those that a bound reaches. */
  def readsUnbounded: Boolean = byRows.frames.exists(frame =>
    frame.frame.isUnbounded && !frame.aggregates.forall(UnboundedFunctions.readsNear(_, frame.frame))
  )

  /** The keys of a right row. */
  def rightKeys: Seq[Expression] = window.partitionSpec

  /** Whether the operator sorts both sides; otherwise they come in order. */
  def sorts: Boolean = window.sortPlacement != SortPlacement.BelowOperator

  /** The row-wise evaluation of all expressions. */
  def byRows: RowWisePlan = window.arrays.fold(window.rowWise)(_.fallback.and(window.rowWise))
}
