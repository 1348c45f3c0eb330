package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions._

/**
 * The distances from a row to the rows that its window functions read, as far as these are limited.
 *
 * @param rowsBefore
 *   the number of rows before the row
 * @param rowsAfter
 *   the number of rows after it
 * @param bounds
 *   the bounds of RANGE frames, as offsets from the row's order key
 * @param readsPeers
 *   whether it matters which rows tie in the order
 * @param isUnbounded
 *   whether a result may depend on all rows before or after the row
 */
final case class FrameReach(
    rowsBefore: Long,
    rowsAfter: Long,
    bounds: Seq[Expression],
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

  private val All = Row.copy(isUnbounded = true)

  def of(plan: SlidingWindowPlan): FrameReach = plan.expressions.map(_.reach).foldLeft(Row)(_ union _)

  def of(frame: SpecifiedWindowFrame): FrameReach = frame match {
    case SpecifiedWindowFrame(RowFrame, lower, upper) =>
      Seq(lower, upper).map(FrameShape.rowOffset(_).fold(All)(o => rows(o.toLong))).reduce(_ union _)
    case SpecifiedWindowFrame(RangeFrame, lower, upper) =>
      val (unbounded, bounded) =
        Seq(lower, upper).partition(b => b == UnboundedPreceding || b == UnboundedFollowing)
      Row.copy(
        bounds = bounded.filter(_ != CurrentRow),
        readsPeers = bounded.nonEmpty,
        isUnbounded = unbounded.nonEmpty
      )
  }

  /** The reach of functions that read the row at a distance of `offset` rows. */
  def rows(offset: Long): FrameReach =
    Row.copy(rowsBefore = math.max(0L, -offset), rowsAfter = math.max(0L, offset))
}
