package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types._

/**
 * Sees that a sum may have overflown on the way, whatever the order of its additions.
 *
 * Spark adds the rows of a frame from first to last and fails (or, for `try_sum`, answers null) when one of those
 * additions overflows. Sums of parts overflow in other places. As long as the magnitudes of the frame's values add
 * up to less than the limit, no addition in any order can overflow, and the answer is exact; beyond it, the frame is
 * recalculated as Spark does it.
 *
 * @param input
 *   what is added up
 * @param limit
 *   a magnitude that no overflow is below
 */
final case class OverflowGuard(input: Expression, limit: Double)

object OverflowGuard {

  def of(function: AggregateFunction): Option[OverflowGuard] = function match {
    case Sum(child, context) if child.dataType == LongType && context.evalMode != EvalMode.LEGACY =>
      Some(OverflowGuard(child, LongLimit))
    case Sum(child, _)     => ofInterval(child)
    case Average(child, _) => ofInterval(child)
    case _                 => None
  }

  private def ofInterval(input: Expression): Option[OverflowGuard] = input.dataType match {
    case _: DayTimeIntervalType   => Some(OverflowGuard(input, LongLimit))
    case _: YearMonthIntervalType => Some(OverflowGuard(input, IntLimit))
    case _                        => None
  }

  // Half the range: far more than the rounding of the magnitudes' own sum.
  private val LongLimit = math.pow(2, 62)
  private val IntLimit = math.pow(2, 30)
}

/** The magnitude of a number or an interval, as a double. */
final case class Magnitude(child: Expression) extends UnaryExpression {
  override def dataType: DataType = DoubleType
  override def nullIntolerant: Boolean = true
  override def prettyName: String = "magnitude"

  override protected def nullSafeEval(input: Any): Any = math.abs(input.asInstanceOf[Number].doubleValue)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    defineCodeGen(ctx, ev, c => s"Math.abs((double) $c)")

  override protected def withNewChildInternal(newChild: Expression): Magnitude = copy(child = newChild)
}

/** Whether the magnitudes of a frame's values add up to `limit` or more. */
final case class MagnitudeExceeds(child: Expression, limit: Double)
    extends DeclarativeAggregate
    with org.apache.spark.sql.catalyst.trees.UnaryLike[Expression] {

  override def nullable: Boolean = false
  override def dataType: DataType = BooleanType

  private lazy val total = AttributeReference("magnitude", DoubleType, nullable = false)()

  override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(total)
  override lazy val initialValues: Seq[Expression] = Seq(Literal(0.0))
  override lazy val updateExpressions: Seq[Expression] =
    Seq(Add(total, Coalesce(Seq(Magnitude(child), Literal(0.0)))))
  override lazy val mergeExpressions: Seq[Expression] = Seq(Add(total.left, total.right))
  override lazy val evaluateExpression: Expression = GreaterThanOrEqual(total, Literal(limit))

  override protected def withNewChildInternal(newChild: Expression): MagnitudeExceeds = copy(child = newChild)
}
