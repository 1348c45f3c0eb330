package org.slidewise.spark.planning.hopping

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._

/**
 * Conditions on the times of rows, which hold for all rows of the windows that meet a condition on their bounds. Spark drops the other
 * rows before it aggregates, since it filters copies of the rows, one for each window.
 */
final private[hopping] class TimesOfWindows(expand: WindowExpand) {
  import expand.time
  import expand.windows.{offset, size, slide}

  /** The condition on the time of a row if some window with the row can meet `condition`; none if this is not known. */
  def of(condition: Expression): Option[Expression] = (condition match {
    case GreaterThanOrEqual(Bound(least), Time(value)) => from(least, value)
    case GreaterThan(Bound(least), Time(value))        => from(least, value + 1)
    case LessThanOrEqual(Bound(most), Time(value))     => to(most, value)
    case LessThan(Bound(most), Time(value))            => to(most, value - 1)
    case LessThanOrEqual(Time(value), Bound(least))    => from(least, value)
    case LessThan(Time(value), Bound(least))           => from(least, value + 1)
    case GreaterThanOrEqual(Time(value), Bound(most))  => to(most, value)
    case GreaterThan(Time(value), Bound(most))         => to(most, value - 1)
    case EqualTo(Bound(bound), Time(value))            => and(from(bound, value), to(bound, value))
    case EqualTo(Time(value), Bound(bound))            => and(from(bound, value), to(bound, value))
    case _                                             => None
  }).map(Or(_, isNearEnds))

  /** The times of windows of which the start, or what lies `distance` after it, is not before `value`. */
  private def from(distance: Long, value: BigInt): Option[Expression] = {
    val start = value - distance
    literal(start + floorMod(offset - start)).map(GreaterThanOrEqual(time, _))
  }

  /** The times of windows of which the start, or what lies `distance` after it, is not after `value`. */
  private def to(distance: Long, value: BigInt): Option[Expression] = {
    val start = value - distance
    literal(start - floorMod(start - offset) + size).map(LessThan(time, _))
  }

  private def and(a: Option[Expression], b: Option[Expression]): Option[Expression] =
    for (x <- a; y <- b) yield And(x, y)

  private def floorMod(value: BigInt): BigInt = value.mod(slide)

  private def literal(value: BigInt): Option[Literal] =
    if (value.isValidLong) Some(Literal(value.toLong, time.dataType)) else None

  /** Near the ends of time, the bounds of windows wrap around, or are errors. */
  private def isNearEnds: Expression = {
    val margin = size.min(Long.MaxValue / 4) * 2
    Or(
      LessThan(time, Literal(Long.MinValue + margin, time.dataType)),
      GreaterThan(time, Literal(Long.MaxValue - margin, time.dataType))
    )
  }

  /** Matches a bound of the window, with its distance from the start. */
  private object Bound {
    def unapply(e: Expression): Option[Long] =
      if (expand.isBound(e, "start")) Some(0L) else if (expand.isBound(e, "end")) Some(size) else None
  }

  /** Matches a constant time, in microseconds. */
  private object Time {
    def unapply(e: Expression): Option[BigInt] =
      if (e.foldable && e.dataType == time.dataType)
        Try(e.eval()).toOption.collect { case micros: Long => BigInt(micros) }
      else None
  }
}
