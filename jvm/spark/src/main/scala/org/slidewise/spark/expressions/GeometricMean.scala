package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.types._

/**
 * The geometric mean. The buffer holds the mantissa and the exponent of the product, which cannot overflow and is more precise
 * than a sum of logarithms. O(1) time and space a row.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", Table 1
 */
@ExpressionDescription(
  usage = "_FUNC_(x) - Returns the geometric mean of `x`: the n-th root of the product of its n values.",
  arguments = """
    Arguments:
      * x - a number. Nulls are skipped. The result is NaN if a value is NaN or negative, or if both 0 and infinity occur;
          otherwise it is 0 if a value is 0. The product neither overflows nor underflows.
  """,
  examples = """
    Examples:
      > SELECT _FUNC_(x) FROM VALUES (2), (8), (NULL) AS t(x);
       4.0
      > SELECT i, _FUNC_(x) OVER (ORDER BY i ROWS 1 PRECEDING) FROM VALUES (1, 1e300), (2, 1e302), (3, 0) AS t(i, x);
       1	1.0E300
       2	1.0E301
       3	0.0
      > SELECT _FUNC_(x) FROM VALUES (-2), (8) AS t(x);
       NaN
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class GeometricMean(child: Expression)
    extends MonoidAggregate
    with UnaryLike[Expression]
    with ImplicitCastInputTypes {
  override def prettyName: String = "geomean"
  override def inputTypes = Seq(DoubleType)
  override def checkInputDataTypes(): TypeCheckResult = NumericArgument.checkDouble(child, 0)
  override def dataType: DataType = DoubleType

  override protected def fields: Seq[(String, DataType)] =
    Seq("count" -> LongType, "mantissa" -> DoubleType, "exponent" -> LongType)

  override protected def skips: Expression = anyNull(child)

  override protected def lift: Seq[Expression] =
    Seq(Literal(1L), factor("mantissa", DoubleType, child), factor("exponent", LongType, child))

  override protected def combine(older: State, newer: State): Seq[Expression] = {
    val product = Multiply(older("mantissa"), newer("mantissa"))
    Seq(
      Add(older("count"), newer("count")),
      factor("mantissa", DoubleType, product),
      Add(Add(older("exponent"), newer("exponent")), factor("exponent", LongType, product))
    )
  }

  override protected def lower(state: State): Expression =
    factor("root", DoubleType, state("mantissa"), state("exponent"), state("count"))

  private def factor(function: String, dataType: DataType, arguments: Expression*): Expression =
    StaticInvoke(classOf[ScaledDouble], dataType, function, arguments, returnNullable = false)

  override protected def withNewChildInternal(newChild: Expression): GeometricMean = copy(child = newChild)
}
