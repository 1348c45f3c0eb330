package org.slidewise.spark.execution.surroundings

/**
 * The aggregate of the rows of one partition that lie on one side of the rows that a task evaluates. [[OutsideFunctions]] makes,
 * combines and reads it.
 *
 * @param rows
 *   the number of rows
 * @param peerGroups
 *   the number of groups of rows that tie in the order; 0 unless [[OutsideFunctions.needsPeerGroups]]
 * @param states
 *   the aggregation buffers in bytes; null for those of no rows
 * @param failed
 *   whether aggregating or merging failed, so that [[OutsideFunctions.mustBeOneTask]]
 */
final private[spark] case class Outside(
    rows: Long,
    peerGroups: Long,
    states: Array[Byte] = null,
    failed: Boolean = false
) {
  def isEmpty: Boolean = rows == 0L && !failed
}

private[spark] object Outside {

  /** No rows. */
  val None: Outside = Outside(0L, 0L)

  /** A number of rows; enough where [[OutsideFunctions.isEmpty]]. */
  def ofRows(rows: Long): Outside = Outside(rows, 0L)
}

/**
 * What surrounds the rows whose results a task hands out.
 *
 * Of its rows in order, from 0 on, a task hands out the results from `firstResult` to before `untilResult`. The others are there
 * for the frames of these; their own frames may lack rows. They come with results that mean nothing, and with no errors.
 *
 * @param before
 *   rows of the first partition, before the first row of the task
 * @param after
 *   rows of the last partition, which may be the first, after the last row of the task
 */
final private[spark] case class Surroundings(
    before: Outside,
    after: Outside,
    firstResult: Long = 0L,
    untilResult: Long = Long.MaxValue
) {

  /** The same where the task's rows from `row` on are all. */
  def from(row: Long): Surroundings =
    copy(firstResult = math.max(0L, firstResult - row), untilResult = math.max(0L, untilResult - row))

  def handsOut(row: Long): Boolean = row >= firstResult && row < untilResult

  /** The first row from `from` to before `until` whose result is handed out; `until` if there is none. */
  def firstOf(from: Long, until: Long): Long = math.min(until, math.max(from, firstResult))

  /** The end of the rows from `from` to before `until` whose results are handed out; `from` if there are none. */
  def endOf(from: Long, until: Long): Long = math.max(from, math.min(until, untilResult))
}

private[spark] object Surroundings {

  /** All partitions are whole, and all results are handed out. */
  val None: Surroundings = Surroundings(Outside.None, Outside.None)
}
