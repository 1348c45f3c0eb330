package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/**
 * The exponentially weighted mean. A row maps the mean of the rows before it by an affine map, and affine maps compose.
 * Associative, not commutative. O(1) time and space a row.
 *
 * @see
 *   Roberts, "Control Chart Tests Based on Geometric Moving Averages", Technometrics 1959
 */
@ExpressionDescription(
  usage =
    "_FUNC_(x, alpha[, adjust]) - Returns the exponentially weighted mean of `x`: a row has (1 - `alpha`) times the weight of the next one.",
  arguments = """
    Arguments:
      * x - a number. Nulls are skipped.
      * alpha - the smoothing factor: a constant above 0 and at most 1.
      * adjust - true, the default, for the mean with these weights; false for the recursion y = (1 - alpha) * y + alpha * x, which
          starts with the first value of the frame.
  """,
  examples = """
    Examples:
      > SELECT i, round(_FUNC_(x, 0.5) OVER (ORDER BY i), 4) FROM VALUES (1, 1), (2, 2), (3, 4) AS t(i, x);
       1	1.0
       2	1.6667
       3	3.0
      > SELECT i, _FUNC_(x, 0.5, false) OVER (ORDER BY i ROWS 1 PRECEDING) FROM VALUES (1, 1), (2, 2), (3, 4) AS t(i, x);
       1	1.0
       2	1.5
       3	3.0
      > SELECT _FUNC_(x, alpha => 0.5, adjust => false) WITHIN GROUP (ORDER BY i) FROM VALUES (3, 4), (1, 1), (2, 2) AS t(i, x);
       2.75
  """,
  note = """
    The result is a double. The result depends on the order of the rows: use OVER (... ORDER BY ...) or WITHIN GROUP (ORDER BY
    ...).
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class ExponentialMean(x: Expression, alpha: Expression, adjust: Option[Expression])
    extends MonoidAggregate
    with ImplicitCastInputTypes
    with OrderDependent {
  def this(x: Expression, alpha: Expression) = this(x, alpha, None)
  def this(x: Expression, alpha: Expression, adjust: Expression) = this(x, alpha, Some(adjust))

  override def prettyName: String = "ewma"
  override def children: Seq[Expression] = Seq(x, alpha) ++ adjust
  override def inputTypes = Seq(DoubleType, DoubleType) ++ adjust.map(_ => BooleanType)
  override def dataType: DataType = DoubleType
  override def rowArguments: Int = 1

  private def alphaArgument = ConstantArgument("alpha", alpha)
  private def adjustArgument = adjust.map(ConstantArgument("adjust", _))
  private lazy val a = alphaArgument.value.asInstanceOf[Double]

  /** Whether only the newest value counts. Zero times an older value that is infinite would be NaN. */
  private def forgetsAll: Boolean = a == 1.0

  override def checkInputDataTypes(): TypeCheckResult =
    ConstantArgument.first(
      () => NumericArgument.checkDouble(x, 0),
      () => NumericArgument.checkDouble(alpha, 1),
      () => super.checkInputDataTypes(),
      () => alphaArgument.inRange("(0, 1]")(_ => a > 0 && a <= 1),
      () => adjustArgument.fold[TypeCheckResult](TypeCheckSuccess)(_.isGiven)
    )

  override protected def skips: Expression = anyNull(x)

  /** The weighted sum, the sum of the weights, the factor for the weights of older rows, the first value. */
  override protected def fields: Seq[(String, DataType)] =
    Seq("sum", "weights", "decay", "first").map(_ -> DoubleType)

  override protected def lift: Seq[Expression] = Seq(x, Literal(1.0), Literal(1 - a), x)

  override protected def combine(older: State, newer: State): Seq[Expression] = {
    def after(field: String) =
      if (forgetsAll) newer(field) else Add(Multiply(older(field), newer("decay")), newer(field))
    Seq(after("sum"), after("weights"), Multiply(older("decay"), newer("decay")), older("first"))
  }

  override protected def lower(state: State): Expression =
    if (adjustArgument.forall(_.value == true)) Divide(state("sum"), state("weights"))
    else if (forgetsAll) state("sum")
    else Add(Multiply(Literal(a), state("sum")), Multiply(state("decay"), state("first")))

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): ExponentialMean =
    copy(c(0), c(1), c.lift(2))
}
