package org.slidewise.spark.plan

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types._

import org.slidewise.spark.plan.SolvedBound.Rounding

/**
 * The bound that a condition on an expression of a whole-numbered time `t` sets for `t`: `value * scale ± other + constant`, such as
 * `l.ts - INTERVAL '1' DAY` for `e.ts + INTERVAL '1' DAY >= l.ts`. The bound is inclusive.
 *
 * Evaluation does not overflow. A bound outside the range of `t`'s type becomes the end of that range if all times satisfy the
 * bound, and null if none does.
 *
 * @param value
 *   a whole number, a date, a timestamp or an interval of days and seconds
 * @param addsOther
 *   whether `other` is added; otherwise it is subtracted
 * @param isLower
 *   whether `t` is at least the bound; otherwise it is at most the bound
 * @param dataType
 *   the type of `t`
 * @param scale
 *   the divisor if the condition bounds a quotient of `t` by `value`, the factor if it bounds a multiple, and 1 otherwise
 * @param rounding
 *   the rounding of the quotient, or `Multiple` if the condition bounds a multiple of `t`
 */
final case class SolvedBound(
    value: Expression,
    other: Expression,
    addsOther: Boolean,
    constant: BigInt,
    isLower: Boolean,
    override val dataType: DataType,
    scale: Long = 1L,
    rounding: Rounding = Rounding.Exact
) extends BinaryExpression
    with CodegenFallback {
  override def left: Expression = value
  override def right: Expression = other
  override def nullable: Boolean = true

  private val (factor, divisor) = if (rounding == Rounding.Multiple) (1L, scale) else (scale, 1L)
  private lazy val (least, greatest) = FrameOffset.range(dataType)

  /** Whether the bounded expression of `t` has a different value for each `t`. */
  def isOneToOne: Boolean = !exists {
    case SolvedBound(_, _, _, _, _, _, _, Rounding.Down | Rounding.ToZero) => true
    case _                                                                 => false
  }

  override def eval(row: InternalRow): Any = {
    val a = value.eval(row)
    val b = if (a == null) null else other.eval(row)
    if (b == null) null
    else solved(a.asInstanceOf[Number].longValue, b.asInstanceOf[Number].longValue)
  }

  private def solved(a: Long, b: Long): Any = {
    val shift = quotientsFrom(a)
    val exact =
      try
        if (!constant.isValidLong) None
        else {
          val multiple = Math.multiplyExact(Math.addExact(a, shift), factor)
          val offset = Math.addExact(if (addsOther) b else Math.negateExact(b), constant.toLong - shift)
          Some(divided(Math.addExact(multiple, offset))).filter(sum => least <= sum && sum <= greatest)
        }
      catch { case _: ArithmeticException => None }
    def sum = (BigInt(a) + shift) * factor + (if (addsOther) BigInt(b) else -BigInt(b)) + constant - shift
    exact.fold(inType(divided(sum)))(typed)
  }

  private def divided(sum: Long): Long =
    if (divisor == 1L) sum
    else {
      val down = Math.floorDiv(sum, divisor)
      if (isLower && Math.floorMod(sum, divisor) != 0L) down + 1L else down
    }

  private def divided(sum: BigInt): BigInt = {
    val (quotient, rest) = sum /% divisor
    if (isLower && rest > 0) quotient + 1 else if (!isLower && rest < 0) quotient - 1 else quotient
  }

  /**
   * The shift of the quotient `a` before multiplication: 1, -1 or 0. If quotients round down, the greatest time whose quotient is at
   * most `a` precedes the first time of the quotient `a + 1`. If quotients round up, the least time whose quotient is at least `a`
   * follows the last time of the quotient `a - 1`.
   */
  private def quotientsFrom(a: Long): Long = rounding match {
    case Rounding.Exact | Rounding.Multiple => 0L
    case Rounding.Down                      => if (isLower) 0L else 1L
    case Rounding.ToZero => if (isLower && a <= 0) -1L else if (!isLower && a >= 0) 1L else 0L
  }

  private def inType(bound: BigInt): Any =
    if (bound < least) if (isLower) typed(least) else null
    else if (bound > greatest) if (isLower) null else typed(greatest)
    else typed(bound.toLong)

  private def typed(bound: Long): Any = FrameOffset.valueOf(bound, dataType)

  override def sql: String = {
    val first = if (factor == 1L) value.sql else s"${value.sql} * $factor"
    val second = if (other == SolvedBound.NoOther) "" else s" ${if (addsOther) "+" else "-"} ${other.sql}"
    val third = if (constant == 0) "" else s" ${if (constant < 0) "-" else "+"} ${distance(constant.abs)}"
    if (divisor == 1L) first + second + third else s"($first$second$third) / $divisor"
  }

  private def distance(of: BigInt): String = dataType match {
    case TimestampType | TimestampNTZType if of.isValidLong => Literal(of.toLong, DayTimeIntervalType()).sql
    case _                                                  => of.toString
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): SolvedBound =
    copy(value = newLeft, other = newRight)
}

object SolvedBound {

  /** `value + other + constant`, or `value - other + constant`. */
  def of(
      value: Expression,
      other: Expression,
      addsOther: Boolean,
      constant: BigInt,
      isLower: Boolean,
      dataType: DataType
  ): SolvedBound = (value, number(other)) match {
    case (_, None) if addsOther && number(value).isDefined =>
      of(other, value, addsOther, constant, isLower, dataType)
    case (SolvedBound(inner, more, adds, by, _, _, 1L, _), Some(n)) =>
      SolvedBound(inner, more, adds, by + (if (addsOther) n else -n) + constant, isLower, dataType)
    case (SolvedBound(inner, NoOther, _, by, _, _, 1L, _), None) =>
      SolvedBound(inner, other, addsOther, by + constant, isLower, dataType)
    case (_, Some(n)) =>
      SolvedBound(value, NoOther, addsOther = true, constant + (if (addsOther) n else -n), isLower, dataType)
    case _ => SolvedBound(value, other, addsOther, constant, isLower, dataType)
  }

  val NoOther: Literal = Literal(0L)

  /** The value of a constant whole number. */
  private def number(e: Expression): Option[BigInt] =
    if (!e.foldable) None else Try(e.eval()).toOption.collect { case n: Number => BigInt(n.longValue) }

  /** Rounding of a quotient. */
  sealed trait Rounding
  object Rounding {
    case object Exact extends Rounding
    case object Down extends Rounding
    case object ToZero extends Rounding

    /** The condition bounds a multiple of the time, not a quotient. */
    case object Multiple extends Rounding
  }
}

/**
 * A bound that is a timestamp moved by an interval. Where Spark's addition overflows, the bound is the end of the type's range if
 * all times satisfy it, and null if none does.
 *
 * @param moved
 *   Spark's expression for the moved timestamp
 * @param isLower
 *   whether times are at least the bound; otherwise they are at most the bound
 */
final case class MovedTimestamp(timestamp: Expression, moved: Expression, isLower: Boolean)
    extends BinaryExpression
    with CodegenFallback {
  override def left: Expression = timestamp
  override def right: Expression = moved
  override def dataType: DataType = moved.dataType
  override def nullable: Boolean = true
  override def sql: String = moved.sql

  override def eval(row: InternalRow): Any =
    try moved.eval(row)
    catch {
      case _: ArithmeticException =>
        val isGreat = timestamp.eval(row).asInstanceOf[Long] > 0L
        if (isGreat == isLower) null else if (isLower) Long.MinValue else Long.MaxValue
    }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): MovedTimestamp =
    copy(timestamp = newLeft, moved = newRight)
}
