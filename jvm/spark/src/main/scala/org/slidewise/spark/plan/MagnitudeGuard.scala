package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types._

import org.slidewise.spark.shims.{NullForNull, SparkExpressions}

object MagnitudeExceeds {

  /** Sums of magnitudes below it cannot overflow a long: half the range, far more than the rounding of their own sum. */
  val LongLimit: Double = math.pow(2, 62)

  /** As [[LongLimit]], for an int. */
  val IntLimit: Double = math.pow(2, 30)

  /**
   * What tells of rows whose aggregate Spark would make otherwise than by merging partial aggregates of them.
   *
   *   - '''Sums.''' Spark adds the rows of a frame from first to last and fails (or, for `try_sum`, returns null) when one of
   *     these additions overflows. Sums of parts overflow elsewhere. While the magnitudes add up to less than half the type's
   *     range no addition overflows, in whatever order.
   *   - '''Approximate percentiles.''' Merging summaries does not know NaN's place among numbers.
   */
  def of(function: AggregateFunction): Option[MagnitudeExceeds] = function match {
    case sum @ Sum(child, _)
        if child.dataType == LongType && SparkExpressions.evalMode(sum) != EvalMode.LEGACY =>
      Some(MagnitudeExceeds(child, LongLimit))
    case Sum(child, _)                     => ofInterval(child)
    case Average(child, _)                 => ofInterval(child)
    case percentile: ApproximatePercentile => ofNaN(percentile.child)
    case _                                 => None
  }

  private def ofInterval(input: Expression): Option[MagnitudeExceeds] = input.dataType match {
    case _: DayTimeIntervalType   => Some(MagnitudeExceeds(input, LongLimit))
    case _: YearMonthIntervalType => Some(MagnitudeExceeds(input, IntLimit))
    case _                        => None
  }

  private def ofNaN(input: Expression): Option[MagnitudeExceeds] = input.dataType match {
    case FloatType | DoubleType => Some(MagnitudeExceeds(If(IsNaN(input), Literal(1.0), Literal(0.0)), 1.0))
    case _                      => None
  }
}

/** The magnitude of a number or an interval, as a double. */
final case class Magnitude(child: Expression) extends UnaryExpression with NullForNull {
  override def dataType: DataType = DoubleType
  override def prettyName: String = "magnitude"

  override protected def nullSafeEval(input: Any): Any = math.abs(input.asInstanceOf[Number].doubleValue)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    defineCodeGen(ctx, ev, c => s"Math.abs((double) $c)")

  override protected def withNewChildInternal(newChild: Expression): Magnitude = copy(child = newChild)
}

/**
 * Whether the magnitudes of a frame's values add up to `limit` or more. Where they do not, no addition overflows, in whatever
 * order the values are added.
 */
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
