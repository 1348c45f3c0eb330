package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.unsafe.types.CalendarInterval

/** Properties of a frame that follow from its bounds. */
object FrameShape {

  val CurrentRowOnly: SpecifiedWindowFrame = SpecifiedWindowFrame(RowFrame, CurrentRow, CurrentRow)

  /** Whether the frame starts at the first row of the partition, so that no row ever leaves it. */
  def isGrowing(frame: SpecifiedWindowFrame): Boolean = frame.lower == UnboundedPreceding

  /** Whether the frame of every row is its whole partition. */
  def isPartition(frame: SpecifiedWindowFrame): Boolean =
    frame.lower == UnboundedPreceding && frame.upper == UnboundedFollowing

  /** Whether the frame ends at the last row of the partition. */
  def reachesEnd(frame: SpecifiedWindowFrame): Boolean = frame.upper == UnboundedFollowing

  /** Whether the frame starts at the first row of the partition or ends at the last. */
  def isUnbounded(frame: SpecifiedWindowFrame): Boolean = isGrowing(frame) || reachesEnd(frame)

  /** Whether the frame may hold rows after the current row and its peers. */
  def looksAhead(frame: SpecifiedWindowFrame): Boolean = frame.upper match {
    case CurrentRow                => false
    case IntegerLiteral(rows)      => rows > 0
    case offset if offset.foldable =>
      offset.eval() match {
        case i: CalendarInterval => i.months > 0 || i.days > 0 || i.microseconds > 0
        case number: Number      => number.longValue > 0
        case _                   => true
      }
    case _ => true
  }

  /** Whether the frame of a row is known as soon as the row has arrived, whatever follows. */
  def endsByCurrentRow(frame: SpecifiedWindowFrame): Boolean =
    frame.frameType == RowFrame && !looksAhead(frame)

  /** The distance of a bound of a ROWS frame from the current row, in rows; none if the bound is unbounded. */
  def rowOffset(bound: Expression): Option[Int] = bound match {
    case CurrentRow                              => Some(0)
    case IntegerLiteral(offset)                  => Some(offset)
    case UnboundedPreceding | UnboundedFollowing => None
    case other => throw new IllegalStateException(s"${other.sql} is not a bound in rows")
  }

  /**
   * Whether a bound is [[Int.MinValue]] rows away. Spark subtracts the bound from row numbers in 32 bits, which overflows for no
   * other bound.
   */
  def overflowsInSpark(frame: SpecifiedWindowFrame): Boolean =
    frame.frameType == RowFrame && Seq(frame.lower, frame.upper).exists {
      case IntegerLiteral(offset) => offset == Int.MinValue
      case _                      => false
    }

  /** The number of rows in a ROWS frame that is not cut off by an end of its partition; none if it is unbounded. */
  def length(frame: SpecifiedWindowFrame): Option[Long] = frame match {
    case SpecifiedWindowFrame(RowFrame, lower, upper) =>
      for (l <- rowOffset(lower); u <- rowOffset(upper)) yield u.toLong - l + 1
    case _ => None
  }

  /** W of `ROWS BETWEEN W - 1 PRECEDING AND CURRENT ROW`; none for other frames. */
  def lastRows(frame: SpecifiedWindowFrame): Option[Long] = frame match {
    case SpecifiedWindowFrame(RowFrame, lower, CurrentRow | IntegerLiteral(0)) =>
      rowOffset(lower).filter(_ <= 0).map(1L - _)
    case _ => None
  }
}
