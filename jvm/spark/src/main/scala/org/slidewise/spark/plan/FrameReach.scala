package org.slidewise.spark.plan

/**
 * The distances from a row to the rows that its window functions read, where frames limit these distances.
 *
 * @param rowsBefore
 *   the number of rows before the row
 * @param rowsAfter
 *   the number of rows after it
 * @param bounds
 *   the bounds of RANGE frames at a distance from the row's order key
 * @param readsPeers
 *   whether it matters which rows tie in the order
 * @param isUnbounded
 *   whether a result may depend on all rows before or after the row
 */
final case class FrameReach(
    rowsBefore: Long,
    rowsAfter: Long,
    bounds: Seq[Frame.KeyBound],
    readsPeers: Boolean,
    isUnbounded: Boolean
) {

  def union(other: FrameReach): FrameReach =
    FrameReach(
      math.max(rowsBefore, other.rowsBefore),
      math.max(rowsAfter, other.rowsAfter),
      (bounds ++ other.bounds).distinct,
      readsPeers || other.readsPeers,
      isUnbounded || other.isUnbounded
    )
}

object FrameReach {

  /** The reach of functions that read only the row itself. */
  val Row: FrameReach = FrameReach(0L, 0L, Nil, readsPeers = false, isUnbounded = false)

  /** The reach of functions that may read all rows before or after the row. */
  val All: FrameReach = Row.copy(isUnbounded = true)

  /** The reach of all expressions of an operator. */
  def of(plan: SlidingWindowPlan): FrameReach = plan.expressions.map(_.reach).foldLeft(Row)(_ union _)

  /** The reach of functions that read the row at a distance of `offset` rows. */
  def rows(offset: Long): FrameReach =
    Row.copy(rowsBefore = math.max(0L, -offset), rowsAfter = math.max(0L, offset))
}
