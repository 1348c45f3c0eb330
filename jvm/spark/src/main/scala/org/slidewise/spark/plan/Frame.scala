package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * A frame: the rows of its partition that a function reads for the current row. Planning makes it once, from Spark's frame. Each
 * evaluation finds its rows from it: row by row, in arrays, over streams, over panes, and over a task's share of a partition.
 */
sealed trait Frame extends Product with Serializable {

  /** Whether the frame starts at the first row of the partition, so that no row ever leaves it. */
  def isGrowing: Boolean

  /** Whether the frame ends at the last row of the partition. */
  def reachesEnd: Boolean

  /** Whether the frame starts at the first row of the partition or ends at the last. */
  final def isUnbounded: Boolean = isGrowing || reachesEnd

  /** Whether the frame may hold rows after the current row and its peers. */
  def looksAhead: Boolean

  /**
   * Whether a task that evaluates the current row surely reads the row at the bounded end of the frame (`atEnd`), or at the bounded
   * start. A task reads the current row and, in another table, one row beyond the rows that its bounds reach. False if unknown.
   */
  def hasNearEnd(atEnd: Boolean): Boolean

  /** Whether the frame is unbounded at its end (`atEnd`), or at its start. */
  final def isOpenAt(atEnd: Boolean): Boolean = if (atEnd) reachesEnd else isGrowing

  /** Whether the frame of a row is known as soon as the row has arrived, whatever rows follow. */
  def endsAtOnce: Boolean

  /** The bounds of a RANGE frame at a distance from the current row's key. */
  def keyBounds: Seq[Frame.KeyBound] = Nil

  /** The bounds that are values of a row of another table; empty if the frame holds rows of the same table. */
  def rowBounds: Seq[Frame.RowBound] = Nil

  /** Whether the frame holds rows of another table. Its ends may then move back from one row to the next. */
  final def isOfOtherRows: Boolean = rowBounds.nonEmpty

  /** The number of rows of a frame that lies within its partition; none if frames are unbounded or differ in size. */
  def length: Option[Long] = None

  /** W of `ROWS BETWEEN W - 1 PRECEDING AND CURRENT ROW`; none for other frames. */
  def lastRows: Option[Long] = None

  /** The distances from a row to the rows of its frame. */
  def reach: FrameReach

  /** The same frame as an expression of Spark. */
  def specified: Expression
}

object Frame {

  /**
   * A ROWS frame: the rows at given distances from the current row.
   *
   * @param lower
   *   the number of rows from the current row to the first row, negative for a first row before it; none for the first row of the
   *   partition
   * @param upper
   *   the number of rows from the current row to the last row; none for the last row of the partition
   */
  final case class Rows(lower: Option[Int], upper: Option[Int]) extends Frame {
    override def isGrowing: Boolean = lower.isEmpty
    override def reachesEnd: Boolean = upper.isEmpty
    override def looksAhead: Boolean = upper.forall(_ > 0)
    override def hasNearEnd(atEnd: Boolean): Boolean =
      if (atEnd) upper.exists(_ >= 0) else lower.exists(_ <= 0)
    override def endsAtOnce: Boolean = !looksAhead

    override def length: Option[Long] = for (l <- lower; u <- upper) yield u.toLong - l + 1

    override def lastRows: Option[Long] = if (upper.contains(0)) length.filter(_ > 0) else None

    override def reach: FrameReach =
      Seq(lower, upper).map(_.fold(FrameReach.All)(rows => FrameReach.rows(rows.toLong))).reduce(_ union _)

    override def specified: Expression = {
      def bound(rows: Option[Int], unbounded: Expression) = rows match {
        case None    => unbounded
        case Some(0) => CurrentRow
        case Some(n) => Literal(n)
      }
      SpecifiedWindowFrame(RowFrame, bound(lower, UnboundedPreceding), bound(upper, UnboundedFollowing))
    }
  }

  /** A RANGE frame: the rows whose order key is between two bounds. The frame holds either all or none of the rows that tie. */
  final case class Range(lower: Bound, upper: Bound) extends Frame {
    override def isGrowing: Boolean = lower == Unbounded
    override def reachesEnd: Boolean = upper == Unbounded

    override def looksAhead: Boolean = upper match {
      case Unbounded | _: RowBound => true
      case Peers                   => false
      case bound: KeyBound         => bound.mayFollow
    }

    override def hasNearEnd(atEnd: Boolean): Boolean =
      if (atEnd) isBeside(upper)(_ >= 0) else isBeside(lower)(_ <= 0)

    private def isBeside(bound: Bound)(isThere: Int => Boolean): Boolean = bound match {
      case Peers | _: RowBound                      => true
      case KeyBound(_, IntegerLiteral(distance), _) => isThere(distance)
      case _                                        => false
    }

    // Peers of the row may follow.
    override def endsAtOnce: Boolean = false

    override def keyBounds: Seq[KeyBound] = Seq(lower, upper).collect { case bound: KeyBound => bound }
    override def rowBounds: Seq[RowBound] = Seq(lower, upper).collect { case bound: RowBound => bound }

    override def reach: FrameReach = {
      val (unbounded, bounded) = Seq(lower, upper).partition(_ == Unbounded)
      FrameReach.Row.copy(
        bounds = keyBounds,
        readsPeers = bounded.nonEmpty,
        isUnbounded = unbounded.nonEmpty
      )
    }

    override def specified: Expression = {
      def specify(bound: Bound, unbounded: Expression) = bound match {
        case Unbounded     => unbounded
        case Peers         => CurrentRow
        case key: KeyBound => key.offset
        case row: RowBound => row.value
      }
      SpecifiedWindowFrame(RangeFrame, specify(lower, UnboundedPreceding), specify(upper, UnboundedFollowing))
    }
  }

  /** All rows of the partition. */
  val Partition: Rows = Rows(None, None)

  /** The rows up to the current one. */
  val Growing: Rows = Rows(None, Some(0))

  /** The current row. */
  val Current: Rows = Rows(Some(0), Some(0))

  /** One end of a RANGE frame. */
  sealed trait Bound extends Product with Serializable

  /** The end of the partition. */
  case object Unbounded extends Bound

  /** The first or the last of the rows that tie with the current one. */
  case object Peers extends Bound

  /**
   * The current row's order key moved by an offset.
   *
   * @param order
   *   the order of the window, which has one column
   * @param offset
   *   a constant: a number or an interval, negative for rows before the current one
   * @param timeZone
   *   the time zone in which days and months are added
   */
  final case class KeyBound(order: SortOrder, offset: Expression, timeZone: String) extends Bound {

    /** The bound, as an expression over the current row. */
    def value: Expression = of(order.child)

    /** The bound for a row with the order key `key`. */
    def of(key: Expression): Expression = FrameOffset.add(order.copy(child = key), offset, timeZone)

    /** The whole number that the bound adds to each key; none if the distance differs from key to key. */
    @transient lazy val shift: Option[Long] = FrameOffset.constant(order, offset, timeZone)

    private[Frame] def mayFollow: Boolean = offset.eval() match {
      case i: CalendarInterval => i.months > 0 || i.days > 0 || i.microseconds > 0
      case number: Number      => number.longValue > 0
      case _                   => true
    }
  }

  /**
   * A bound that the row with the frame computes, where the frame holds rows of another table.
   *
   * @param order
   *   the order of the rows in the frame, which has one column
   * @param value
   *   the bound, over the row that has the frame; a frame is empty if it is null
   * @param isInside
   *   whether rows whose order key equals the bound are in the frame
   * @param mayRise
   *   whether the bound mostly rises from one row to the next
   */
  final case class RowBound(order: SortOrder, value: Expression, isInside: Boolean, mayRise: Boolean)
      extends Bound

  /**
   * Converts Spark's `frame`; or returns the reason why Slidewise has no such frame, for a person to read.
   *
   * @param order
   *   the order of the window
   * @param timeZone
   *   the time zone in which days and months are added
   */
  def of(
      frame: SpecifiedWindowFrame,
      order: Seq[SortOrder],
      timeZone: String
  ): Either[String, Frame] = frame match {
    case SpecifiedWindowFrame(_, UnboundedPreceding, UnboundedFollowing) => Right(Partition)
    case SpecifiedWindowFrame(RowFrame, lower, upper)                    =>
      for (first <- rowsTo(lower); last <- rowsTo(upper)) yield Rows(first, last)
    case SpecifiedWindowFrame(RangeFrame, lower, upper) =>
      Right(Range(boundAt(lower, order, timeZone), boundAt(upper, order, timeZone)))
  }

  private def rowsTo(bound: Expression): Either[String, Option[Int]] = bound match {
    case CurrentRow                              => Right(Some(0))
    case UnboundedPreceding | UnboundedFollowing => Right(None)
    case offset                                  =>
      offset.eval() match {
        case rows: Int => Right(Some(rows))
        case other     => Left(s"a bound of the frame is $other rows away")
      }
  }

  private def boundAt(bound: Expression, order: Seq[SortOrder], timeZone: String): Bound = bound match {
    case CurrentRow                              => Peers
    case UnboundedPreceding | UnboundedFollowing => Unbounded
    case offset => KeyBound(order.head, Literal.create(offset.eval(), offset.dataType), timeZone)
  }
}
