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
 * The rows outside of those that a task evaluates.
 *
 * @param before
 *   rows of the first partition, before the first row of the task
 * @param after
 *   rows of the last partition, which may be the first, after the last row of the task
 */
final private[spark] case class Surroundings(before: Outside, after: Outside) {
  def isEmpty: Boolean = before.isEmpty && after.isEmpty
}

private[spark] object Surroundings {

  /** All partitions are whole. */
  val None: Surroundings = Surroundings(Outside.None, Outside.None)
}
