package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._

/** An aggregate of the rows with the greatest or the least value of an expression of an orderable type. */
abstract class ExtremeFunction(largest: Boolean) extends MonoidAggregate {

  /** The expression whose values are compared. */
  protected def compared: Expression

  override def checkInputDataTypes(): TypeCheckResult =
    TypeUtils.checkForOrderingExpr(compared.dataType, prettyName)

  override protected def skips: Expression = anyNull(compared)

  /** Whether `a` is more extreme than `b`. */
  protected def beats(a: Expression, b: Expression): Expression =
    if (largest) GreaterThan(a, b) else LessThan(a, b)
}

/**
 * The number of rows with the extreme value. O(1) time and space a row.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 2.2
 */
abstract class ExtremeCount(largest: Boolean) extends ExtremeFunction(largest) with UnaryLike[Expression] {
  override protected def compared: Expression = child
  override def dataType: DataType = LongType
  override protected def emptyResult: Literal = Literal(0L)

  override protected def fields: Seq[(String, DataType)] =
    Seq("extreme" -> child.dataType, "count" -> LongType)

  override protected def lift: Seq[Expression] = Seq(child, Literal(1L))

  override protected def combine(older: State, newer: State): Seq[Expression] = {
    val (o, n) = (older("extreme"), newer("extreme"))
    Seq(
      If(beats(n, o), n, o),
      CaseWhen(
        Seq(beats(n, o) -> newer("count"), beats(o, n) -> older("count")),
        Add(older("count"), newer("count"))
      )
    )
  }

  override protected def lower(state: State): Expression = state("count")
}

private object ExtremeCount {
  final val Arguments = """
    Arguments:
      * x - any orderable type. Nulls are skipped; without other values, the result is 0.
  """
}

@ExpressionDescription(
  usage = "_FUNC_(x) - Returns the number of rows with the greatest value of `x`.",
  arguments = ExtremeCount.Arguments,
  examples = """
    Examples:
      > SELECT _FUNC_(x) FROM VALUES (4), (5), (NULL), (5) AS t(x);
       2
      > SELECT i, _FUNC_(x) OVER (ORDER BY i ROWS 1 PRECEDING) FROM VALUES (1, 'a'), (2, 'b'), (3, 'b') AS t(i, x);
       1	1
       2	1
       3	2
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class MaxCount(child: Expression) extends ExtremeCount(largest = true) {
  override def prettyName: String = "max_count"
  override protected def withNewChildInternal(newChild: Expression): MaxCount = copy(newChild)
}

@ExpressionDescription(
  usage = "_FUNC_(x) - Returns the number of rows with the least value of `x`.",
  arguments = ExtremeCount.Arguments,
  examples = """
    Examples:
      > SELECT _FUNC_(x) FROM VALUES (4), (4), (NULL), (5) AS t(x);
       2
      > SELECT i, _FUNC_(x) OVER (ORDER BY i ROWS 1 PRECEDING) FROM VALUES (1, 'b'), (2, 'a'), (3, 'a') AS t(i, x);
       1	1
       2	1
       3	2
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class MinCount(child: Expression) extends ExtremeCount(largest = false) {
  override def prettyName: String = "min_count"
  override protected def withNewChildInternal(newChild: Expression): MinCount = copy(newChild)
}
