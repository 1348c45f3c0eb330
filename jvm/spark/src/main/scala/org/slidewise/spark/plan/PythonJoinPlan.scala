package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}

/**
 * The plan of one operator that evaluates aggregators in Python over windows over another table.
 *
 * @param window
 *   the aggregators, and the frames over the right rows
 * @param counts
 *   for each call that is the number of rows in a frame, the place of its frame in the frames of `window`
 * @param rightOrder
 *   the time of a right row
 * @param times
 *   the number of equal left rows that a row stands for; none for one
 * @param rowOfNulls
 *   whether a frame without rows has a row of nulls, as outer joins have
 */
final case class PythonJoinPlan(
    window: PythonWindowPlan,
    counts: Seq[Int],
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    leftOrder: Seq[SortOrder],
    rightOrder: SortOrder,
    times: Option[Expression],
    rowOfNulls: Boolean
)
