package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/**
 * The greatest sum of consecutive rows. The buffer holds the sum of all rows, and the greatest sums of a prefix, of a suffix and
 * of any run. Associative, not commutative. O(1) time and space a row.
 *
 * @see
 *   Bentley, "Programming Pearls: Algorithm Design Techniques", CACM 1984
 */
@ExpressionDescription(
  usage = "_FUNC_(x) - Returns the greatest sum of consecutive values of `x`, of at least one value.",
  arguments = """
    Arguments:
      * x - a number or an interval. Nulls are skipped.
  """,
  examples = """
    Examples:
      > SELECT i, _FUNC_(x) OVER (ORDER BY i ROWS 2 PRECEDING) FROM VALUES (1, 4), (2, -1), (3, 3), (4, -5) AS t(i, x);
       1	4
       2	4
       3	6
       4	3
      > SELECT g, _FUNC_(x) WITHIN GROUP (ORDER BY i) FROM VALUES ('a', 3, 3), ('a', 1, 4), ('a', 2, -1), ('b', 4, -5) AS t(g, i, x) GROUP BY g ORDER BY g;
       a	6
       b	-5
  """,
  note = """
    The result has the type of `sum(x)`, and overflows as `sum` does. NaN counts as greater than any number, so the result is
    NaN if a value is NaN or if both infinities occur. The result depends on the order of the rows: use OVER (... ORDER BY
    ...) or WITHIN GROUP (ORDER BY ...).
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class MaxSubarraySum(child: Expression) extends SumOfSequence {
  override def prettyName: String = "max_subarray_sum"

  override protected def fields: Seq[(String, DataType)] =
    Seq("all", "prefix", "suffix", "best").map(_ -> sumType)

  override protected def lift: Seq[Expression] = Seq.fill(4)(Sums.cast(number, sumType))

  override protected def combine(older: State, newer: State): Seq[Expression] = {
    import Sums.{add, greater}
    Seq(
      add(older("all"), newer("all")),
      greater(older("prefix"), add(older("all"), newer("prefix"))),
      greater(newer("suffix"), add(older("suffix"), newer("all"))),
      greater(greater(older("best"), newer("best")), add(older("suffix"), newer("prefix")))
    )
  }

  // NaN is the greatest sum. A NaN anywhere makes the sum of all rows NaN, but `best` may miss it.
  override protected def lower(state: State): Expression = {
    val best = sumType match {
      case DoubleType => If(IsNaN(state("all")), state("all"), state("best"))
      case _          => state("best")
    }
    Sums.finish(best, dataType)
  }

  override protected def withNewChildInternal(newChild: Expression): MaxSubarraySum = copy(newChild)
}
