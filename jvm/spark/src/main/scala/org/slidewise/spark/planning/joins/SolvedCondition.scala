package org.slidewise.spark.planning.joins

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.util.DateTimeConstants._
import org.apache.spark.sql.types._

import org.slidewise.spark.plan.{RowValue, SolvedBound}
import org.slidewise.spark.plan.SolvedBound.Rounding
import org.slidewise.spark.shims.SparkExpressions

/**
 * A comparison of whole numbers, `of >= value` or `of <= value`. `of` reads the right row and possibly the left row, and `value`
 * only the left row.
 *
 * A [[step]] moves one operation to the side of `value`. It does not change the result for values for which Spark returns one. An
 * operation that fails on overflow may be moved, since [[SolvedBound]] does not overflow. An operation that wraps around may not.
 *
 * @param isLeft
 *   whether an expression reads no right row
 */
final private[joins] case class SolvedCondition(
    of: Expression,
    value: Expression,
    isLower: Boolean,
    isLeft: Expression => Boolean
) {
  import ExactArithmetic._

  /** The condition without the outermost operation of `of`; none if this operation may not be moved. */
  def step: Option[SolvedCondition] = inlined(of) match {
    case cast: Cast                                     => ofCast(cast)
    case sum @ Add(a, b, _) if neverWraps(sum)          => ofSum(a, b)
    case minus @ Subtract(a, b, _) if neverWraps(minus) => ofDifference(a, b, value)
    case days @ DateAdd(a, b) if neverWraps(days)       => ofSum(a, b)
    case days @ DateSub(a, b) if neverWraps(days)       => ofDifference(a, b, value)
    case days @ DateDiff(a, b) if neverWraps(days)      => ofDifference(a, b, value)
    case SubtractDates(a, b, false)                     =>
      ofDifference(a, b, multiple(value, 0L, LongType))
    case times @ SubtractTimestamps(a, b, false, _) if offset(times, a).isDefined => ofDifference(a, b, value)
    case times @ TimestampDiff(unit, a, b, _) if offset(times, a).isDefined       =>
      microsOf(unit).flatMap(micros => ofDifference(b, a, quotient(value, micros, Rounding.ToZero, LongType)))
    case UnixTimestamp(a, _, _, _) if isTimestamp(a)   => seconds(a, Rounding.ToZero)
    case ToUnixTimestamp(a, _, _, _) if isTimestamp(a) => seconds(a, Rounding.ToZero)
    case UnixSeconds(a)                                => seconds(a, Rounding.Down)
    case UnixMillis(a) => Some(copy(a, quotient(value, MICROS_PER_MILLIS, Rounding.Down, a.dataType)))
    case UnixMicros(a) => Some(moved(a))
    case other         =>
      for {
        (a, interval) <- SparkExpressions.movedTimestamp(other)
        hasFixedDays = offset(other.asInstanceOf[TimeZoneAwareExpression], a).isDefined
        by <- microsOf(interval, hasFixedDays)
        solved <- ofSum(a, by)
      } yield solved
  }

  private def ofCast(cast: Cast): Option[SolvedCondition] = (cast.child.dataType, cast.dataType) match {
    case (from, to) if isInteger(from) && isInteger(to) && Cast.canUpCast(from, to) => Some(moved(cast.child))
    case (_: DayTimeIntervalType, to: DayTimeIntervalType) if holdsAll(to)          => Some(moved(cast.child))
    case (TimestampType, LongType)                    => seconds(cast.child, Rounding.Down)
    case (TimestampType | TimestampNTZType, DateType) =>
      offset(cast, cast.child).map { o =>
        val local = quotient(value, MICROS_PER_DAY, Rounding.Down, cast.child.dataType)
        copy(
          cast.child,
          SolvedBound.of(local, Literal(-o), addsOther = true, 0, isLower, cast.child.dataType)
        )
      }
    case (TimestampType, TimestampNTZType) => offset(cast, cast.child).map(o => moved(cast.child, Literal(o)))
    case (TimestampNTZType, TimestampType) => offset(cast, cast).map(o => moved(cast.child, Literal(-o)))
    case (DateType, TimestampType | TimestampNTZType) =>
      offset(cast, cast).map(o => copy(cast.child, multiple(value, o, DateType)))
    case _ => None
  }

  private def ofSum(a: Expression, b: Expression): Option[SolvedCondition] =
    if (isLeft(b)) Some(moved(a, b)) else if (isLeft(a)) Some(moved(b, a)) else None

  /** Solves the condition `a - b >= value`, or `<=`, for `a` or `b`. */
  private def ofDifference(a: Expression, b: Expression, value: Expression): Option[SolvedCondition] =
    if (isLeft(b)) Some(copy(a, SolvedBound.of(value, b, addsOther = true, 0, isLower, a.dataType)))
    else if (isLeft(a)) {
      val bound = SolvedBound.of(a, value, addsOther = false, 0, !isLower, b.dataType)
      Some(copy(b, bound, !isLower))
    } else None

  /** Solves the condition for `a`, where `of` is `a + other`. */
  private def moved(a: Expression, other: Expression = SolvedBound.NoOther): SolvedCondition =
    copy(a, SolvedBound.of(value, other, addsOther = false, 0, isLower, a.dataType))

  /** The bound of a number of days whose microseconds `value + offset` bounds. */
  private def multiple(value: Expression, offset: Long, dataType: DataType): SolvedBound =
    SolvedBound(
      value,
      SolvedBound.NoOther,
      true,
      offset,
      isLower,
      dataType,
      MICROS_PER_DAY,
      Rounding.Multiple
    )

  private def seconds(a: Expression, rounding: Rounding): Option[SolvedCondition] =
    Some(copy(a, quotient(value, MICROS_PER_SECOND, rounding, a.dataType)))

  /** The bound of a dividend whose quotient `value` bounds. */
  private def quotient(value: Expression, by: Long, rounding: Rounding, dataType: DataType): SolvedBound =
    SolvedBound(value, SolvedBound.NoOther, addsOther = true, 0, isLower, dataType, by, rounding)
}

private[joins] object SolvedCondition {
  import ExactArithmetic._

  /**
   * The limit that a comparison of `of`, which reads both rows, sets for an expression of the right row; or the reason why it sets
   * none.
   */
  def limit(of: Expression, value: RowValue, isLower: Boolean): Either[String, Limit] =
    solved(Limit(of, value, isLower))(!OuterCondition.isOuter(_)) match {
      case Right(found) if OuterCondition.isOuter(found.time) => Left(whyNot(found.time))
      case Right(Limit(time, bound, lower))                   =>
        Right(Limit(time, bound.copy(child = OuterCondition.asLeft(bound.child)), lower))
      case Left(reason) => Left(reason)
    }

  /** The limit, solved for the innermost expression for which it can be solved. */
  def innermost(limit: Limit): Limit = solved(limit)(_ => false).getOrElse(limit)

  /** The expression and those within it that order rows in the same way and have the same ties, such as `x` in `x + 1`. */
  def withOrderOf(e: Expression): Seq[Expression] = {
    def steps(of: Expression): Seq[Expression] = of +: SolvedCondition(
      of,
      BoundReference(0, of.dataType, nullable = true),
      isLower = true,
      _.references.isEmpty
    ).step.toSeq
      .collect { case SolvedCondition(below, bound: SolvedBound, true, _) if bound.isOneToOne => below }
      .flatMap(steps)
    steps(e)
  }

  private def solved(limit: Limit)(isDone: Expression => Boolean): Either[String, Limit] =
    limit.inclusive.toRight(whyNot(limit.time)).map { first =>
      val start = SolvedCondition(first.time, first.value.child, first.isLower, _.references.isEmpty)
      var last = start
      var next = if (isDone(last.of)) None else last.step
      while (next.isDefined) {
        last = next.get
        next = if (isDone(last.of)) None else last.step
      }
      if (last eq start) limit else Limit(last.of, RowValue(last.value, isInside = true), last.isLower)
    }

  /** Why no operation of the expression may be moved, and what to write instead. */
  def whyNot(of: Expression): String = {
    val why = inlined(of) match {
      case _: DateAdd | _: DateSub | _: DateDiff => "wraps around for dates at the ends of their range"
      case sum @ (_: Add | _: Subtract) if isWhole(sum.dataType) => "wraps around where it overflows"
      case _: Add | _: Subtract if !of.dataType.isInstanceOf[CalendarIntervalType] => "is rounded"
      case times @ (_: SubtractTimestamps | _: TimestampDiff)                      =>
        s"is a difference of local times, which clock changes in ${zoneOf(times.asInstanceOf[TimeZoneAwareExpression])} affect"
      case times: TimeZoneAwareExpression if SparkExpressions.movedTimestamp(times).isDefined =>
        s"adds days, whose length changes in ${zoneOf(times)}"
      case _: TimestampAddYMInterval | _: DateAddYMInterval | _: AddMonths =>
        "adds months, whose length differs"
      case _ => "cannot be solved for a column of the other table"
    }
    s"${of.sql} $why; compare a column of the other table alone, such as right.ts >= left.ts - INTERVAL '1' DAY"
  }
}
