package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types._

import org.slidewise.spark.shims.NullForNull

object MagnitudeExceeds {

  /**
   * The limit for sums of longs: values whose magnitudes add up to less cannot overflow a long. It is half the range, which
   * leaves far more room than the rounding of the magnitudes' sum needs.
   */
  val LongLimit: Double = math.pow(2, 62)

  /** The same limit for sums of ints. */
  val IntLimit: Double = math.pow(2, 30)
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
 * Whether the magnitudes of a frame's values add up to `limit` or more. If they add up to less, no addition overflows, in
 * whatever order the values are added.
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
