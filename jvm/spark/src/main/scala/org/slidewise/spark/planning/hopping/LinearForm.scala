package org.slidewise.spark.planning.hopping

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/** The form `time · t + remainder · r + constant`, for a time `t` in microseconds and the `r` of [[Remainders]]. */
final private[hopping] case class LinearForm(time: Long, remainder: Long, constant: Long) {
  def +(other: LinearForm): LinearForm =
    LinearForm(time + other.time, remainder + other.remainder, constant + other.constant)
  def unary_- : LinearForm = LinearForm(-time, -remainder, -constant)
}

/** The remainder `floorMod(t - offset, slide)`. */
final private[hopping] case class Remainders(offset: Long, slide: Long)

/**
 * Reads the arithmetic of `window()` over one time as linear forms, also after the optimizer has folded constants.
 *
 * Not safe for concurrent use.
 *
 * @param timeType
 *   the type of the time: a timestamp with or without time zone
 */
final private[hopping] class LinearForms(timeType: DataType) {
  private[this] var time: Option[Expression] = None
  private[this] var divided: Option[Remainders] = None

  /** The time that all expressions read so far have in common; None before the first. */
  def timeColumn: Option[Expression] = time

  /** The remainder that all expressions read so far have in common; None before the first. */
  def remainders: Option[Remainders] = divided

  /**
   * The form of `expression`, a number of microseconds. None if it is not linear, or reads another time or remainder than the
   * expressions before it.
   */
  def of(expression: Expression): Option[LinearForm] = expression match {
    case e if e.foldable => constant(e).map(LinearForm(0, 0, _))
    case PreciseTimestampConversion(t, `timeType`, LongType) if isTime(t) => Some(LinearForm(1, 0, 0))
    case KnownNullable(child)                                             => of(child)
    case e: Add      => for (a <- of(e.left); b <- of(e.right)) yield a + b
    case e: Subtract => for (a <- of(e.left); b <- of(e.right)) yield a + -b
    case CaseWhen(Seq((isNegative, raised)), Some(plain)) => floorRemainder(isNegative, raised, plain)
    case If(isNegative, raised, plain)                    => floorRemainder(isNegative, raised, plain)
    case _                                                => None
  }

  /** The form of a timestamp expression that converts microseconds. */
  def ofTimestamp(expression: Expression): Option[LinearForm] = expression match {
    case KnownNullable(child)                                    => ofTimestamp(child)
    case PreciseTimestampConversion(child, LongType, `timeType`) => of(child)
    case _                                                       => None
  }

  private def isTime(expression: Expression): Boolean = {
    if (time.isEmpty) time = Some(expression)
    time.exists(_.semanticEquals(expression))
  }

  private def constant(expression: Expression): Option[Long] = expression.eval() match {
    case n: Long => Some(n)
    case n: Int  => Some(n.toLong)
    case _       => None
  }

  /** Expects `m < 0`, `m + slide` and `m` as `isNegative`, `raised` and `plain`, where `m` is `(t - offset) % slide`. */
  private def floorRemainder(
      isNegative: Expression,
      raised: Expression,
      plain: Expression
  ): Option[LinearForm] =
    for {
      found <- remainder(plain)
      if isBelowZero(isNegative, found) && isRaised(raised, found)
      if divided.forall(_ == found)
    } yield {
      divided = Some(found)
      LinearForm(0, 1, 0)
    }

  private def remainder(expression: Expression): Option[Remainders] = expression match {
    case e: Remainder if e.right.foldable =>
      for {
        slide <- constant(e.right)
        shifted <- of(e.left)
        if slide > 0 && shifted == LinearForm(1, 0, shifted.constant)
      } yield Remainders(-shifted.constant, slide)
    case _ => None
  }

  private def isBelowZero(condition: Expression, found: Remainders): Boolean = condition match {
    case LessThan(m, zero)    => remainder(m).contains(found) && isZero(zero)
    case GreaterThan(zero, m) => remainder(m).contains(found) && isZero(zero)
    case _                    => false
  }

  private def isZero(expression: Expression): Boolean =
    expression.foldable && constant(expression).contains(0L)

  private def isRaised(expression: Expression, found: Remainders): Boolean = expression match {
    case e: Add if e.right.foldable =>
      remainder(e.left).contains(found) && constant(e.right).contains(found.slide)
    case e: Add if e.left.foldable =>
      remainder(e.right).contains(found) && constant(e.left).contains(found.slide)
    case _ => false
  }
}
