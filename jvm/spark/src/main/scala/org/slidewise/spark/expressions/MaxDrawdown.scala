package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/**
 * The greatest fall from a row's value to a later one. The buffer holds the greatest value, the least value and the greatest fall.
 * Associative, not commutative. O(1) time and space a row.
 *
 * Falls grow with the earlier value and shrink with the later one, so the greatest fall between two sequences is that from the
 * greatest value of the first to the least value of the second. It is never the sum of two, and exact for floating point.
 *
 * @see
 *   Magdon-Ismail and Atiya, "Maximum Drawdown", Risk 17(10), 2004
 */
@ExpressionDescription(
  usage =
    "_FUNC_(x) - Returns the greatest fall from a value of `x` to a later one, 0 if no value is less than an earlier one.",
  arguments = """
    Arguments:
      * x - a number or an interval. Nulls are skipped.
  """,
  examples = """
    Examples:
      > SELECT i, _FUNC_(x) OVER (ORDER BY i ROWS 2 PRECEDING) FROM VALUES (1, 4), (2, 9), (3, 6), (4, 3), (5, 5) AS t(i, x);
       1	0
       2	0
       3	3
       4	6
       5	3
      > SELECT g, _FUNC_(x) WITHIN GROUP (ORDER BY i) FROM VALUES ('a', 3, 3), ('a', 1, 4), ('a', 2, -1), ('b', 4, -5) AS t(g, i, x) GROUP BY g ORDER BY g;
       a	5
       b	0
  """,
  note = """
    The result has the type of `sum(x)`, and overflows as `sum` does. NaN counts as greater than any number, so the fall from NaN
    to a number is NaN. For a fall in proportion to the earlier value, as is usual for prices, take `1 - exp(-_FUNC_(ln(x)))`.
    The result depends on the order of the rows: use OVER (... ORDER BY ...) or WITHIN GROUP (ORDER BY ...).
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class MaxDrawdown(child: Expression) extends SumOfSequence {
  override def prettyName: String = "max_drawdown"

  private lazy val none = Sums.cast(Literal(0), sumType)

  override protected def fields: Seq[(String, DataType)] =
    Seq("greatest" -> number.dataType, "least" -> number.dataType, "fall" -> sumType)

  override protected def lift: Seq[Expression] = Seq(number, number, none)

  override protected def combine(older: State, newer: State): Seq[Expression] = {
    val between = If(
      GreaterThan(older("greatest"), newer("least")),
      Sums.subtract(Sums.cast(older("greatest"), sumType), Sums.cast(newer("least"), sumType)),
      none
    )
    Seq(
      Sums.greater(older("greatest"), newer("greatest")),
      If(LessThan(newer("least"), older("least")), newer("least"), older("least")),
      Sums.greater(Sums.greater(older("fall"), newer("fall")), between)
    )
  }

  override protected def lower(state: State): Expression = Sums.finish(state("fall"), dataType)

  override protected def withNewChildInternal(newChild: Expression): MaxDrawdown = copy(newChild)
}
