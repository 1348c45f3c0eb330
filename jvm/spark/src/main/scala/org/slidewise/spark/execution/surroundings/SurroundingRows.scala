package org.slidewise.spark.execution.surroundings

/**
 * The partial aggregate of the rows of one partition before or after a task's own rows. The task does not read these rows.
 * [[SurroundingFunctions]] makes, merges and reads it.
 *
 * @param rows
 *   the number of rows
 * @param peerGroups
 *   the number of groups of rows that tie in the order; 0 unless [[org.slidewise.spark.plan.UnboundedFunctions.needPeerGroups]]
 * @param states
 *   the aggregation buffers in bytes; null if there are no rows
 * @param failed
 *   whether aggregating or merging failed; [[SurroundingFunctions.mustBeOneTask]] is then true
 */
final private[spark] case class PartialAggregate(
    rows: Long,
    peerGroups: Long,
    states: Array[Byte] = null,
    failed: Boolean = false
) {
  def isEmpty: Boolean = rows == 0L && !failed
}

private[spark] object PartialAggregate {

  /** No rows. */
  val None: PartialAggregate = PartialAggregate(0L, 0L)

  /** The aggregate of `rows` rows. It is enough if [[org.slidewise.spark.plan.UnboundedFunctions.needOnlyCounts]]. */
  def ofRows(rows: Long): PartialAggregate = PartialAggregate(rows, 0L)
}

/**
 * The rows of the same partitions before and after the rows of a task, as partial aggregates, and the results that the task hands
 * out.
 *
 * The rows of the task are numbered in order, from 0 on. The task hands out the results from `firstResult` to before
 * `untilResult`. The task reads its other rows only for the frames of these rows. The other rows have meaningless results,
 * because their own frames may lack rows, but raise no errors.
 *
 * @param before
 *   the aggregate of the first partition's rows before the first row of the task
 * @param after
 *   the aggregate of the last partition's rows after the last row of the task; the last partition may be the first
 */
final private[spark] case class SurroundingRows(
    before: PartialAggregate,
    after: PartialAggregate,
    firstResult: Long = 0L,
    untilResult: Long = Long.MaxValue
) {

  /** The surroundings of the task's rows from `row` on. */
  def from(row: Long): SurroundingRows =
    copy(firstResult = math.max(0L, firstResult - row), untilResult = math.max(0L, untilResult - row))

  def handsOut(row: Long): Boolean = row >= firstResult && row < untilResult

  /** The first row from `from` to before `until` whose result is handed out; `until` if there is none. */
  def firstOf(from: Long, until: Long): Long = math.min(until, math.max(from, firstResult))

  /** The end of the rows from `from` to before `until` whose results are handed out; `from` if there are none. */
  def endOf(from: Long, until: Long): Long = math.max(from, math.min(until, untilResult))
}

private[spark] object SurroundingRows {

  /** No surrounding rows: all partitions are whole, and all results are handed out. */
  val None: SurroundingRows = SurroundingRows(PartialAggregate.None, PartialAggregate.None)
}
