package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_HOUR
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * A frame over a stream.
 *
 * @param lower
 *   none for all rows before: the frame only grows
 */
final case class StreamFrame(frameType: FrameType, lower: Option[Expression], upper: Expression) {

  /** Whether rows that come after the current one in a later batch may belong to the frame. */
  def looksAhead: Boolean = StreamFrame.isAfterCurrent(upper)

  /** For how much of event time a row may wait for its frame, at most; none if it waits for a number of rows. */
  def waitMicros: Option[Long] =
    if (!looksAhead) Some(0L) else if (frameType == RowFrame) None else Some(StreamFrame.longest(upper))

  /** The same as SQL has it. */
  def specified: SpecifiedWindowFrame =
    SpecifiedWindowFrame(frameType, lower.getOrElse(UnboundedPreceding), upper)
}

object StreamFrame {

  val CurrentRowOnly: StreamFrame = StreamFrame(RowFrame, Some(CurrentRow), CurrentRow)

  /** What the frame is, or why it cannot be one over a stream. */
  def of(frame: SpecifiedWindowFrame): Either[String, StreamFrame] = frame match {
    case SpecifiedWindowFrame(_, _, UnboundedFollowing) =>
      Left("a frame up to UNBOUNDED FOLLOWING is complete only when the stream ends: end it at CURRENT ROW")
    case SpecifiedWindowFrame(kind, UnboundedPreceding, upper) =>
      Right(StreamFrame(kind, None, folded(upper)))
    case SpecifiedWindowFrame(kind, lower, upper) =>
      Right(StreamFrame(kind, Some(folded(lower)), folded(upper)))
  }

  /** Before the optimizer has been there, 2 PRECEDING is the negative of a literal. */
  private def folded(bound: Expression): Expression = bound match {
    case boundary: SpecialFrameBoundary => boundary
    case offset if offset.foldable      => Literal.create(offset.eval(), offset.dataType)
    case other                          => other
  }

  private def longest(offset: Expression): Long = offset.eval() match {
    case interval: CalendarInterval =>
      interval.microseconds + interval.days * LongestDay + interval.months * LongestMonth
    case micros: Long => micros // of a day-time interval, whose days are 24 hours
    case months: Int  => months * LongestMonth
    case other        => throw new IllegalStateException(s"$other is not an interval")
  }

  private val LongestDay = 25 * MICROS_PER_HOUR
  private val LongestMonth = 31 * LongestDay

  private def isAfterCurrent(bound: Expression): Boolean = bound match {
    case CurrentRow                => false
    case IntegerLiteral(rows)      => rows > 0
    case offset if offset.foldable =>
      offset.eval() match {
        case interval: CalendarInterval =>
          interval.months > 0 || interval.days > 0 || interval.microseconds > 0
        case number: Number => number.longValue > 0
        case _              => true
      }
    case _ => true
  }
}
