package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/**
 * The key of the row with the extreme value, as `max_by` and `min_by`, with a rule for ties. O(1) time and space a row.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", Table 1
 */
abstract class ArgExtreme(largest: Boolean) extends ExtremeFunction(largest) with OrderDependent {
  def key: Expression
  def value: Expression
  def ties: Option[Expression]

  private def tiesArgument = ties.map(ConstantArgument("ties", _))
  private lazy val lastWins = tiesArgument.exists(_.word == "last")

  /** Without `ties`, any of the keys that tie may be returned. */
  override def requiresOrder: Boolean = ties.isDefined
  override def unorderedAlternative: Option[String] = Some("no argument `ties`, for any of the keys that tie")

  override def children: Seq[Expression] = Seq(key, value) ++ ties
  override def rowArguments: Int = 2
  override def dataType: DataType = key.dataType
  override protected def compared: Expression = value

  override def checkInputDataTypes(): TypeCheckResult =
    ConstantArgument.first(
      () => super.checkInputDataTypes(),
      () => tiesArgument.fold[TypeCheckResult](TypeCheckSuccess)(_.oneOf("first", "last"))
    )

  override protected def fields: Seq[(String, DataType)] =
    Seq("extreme" -> value.dataType, "key" -> key.dataType)
  override protected def lift: Seq[Expression] = Seq(value, key)

  override protected def combine(older: State, newer: State): Seq[Expression] = {
    val (o, n) = (older("extreme"), newer("extreme"))
    val newerWins = if (lastWins) Not(beats(o, n)) else beats(n, o)
    Seq(If(newerWins, n, o), If(newerWins, newer("key"), older("key")))
  }

  override protected def lower(state: State): Expression = state("key")
}

private object ArgExtreme {
  final val Arguments = """
    Arguments:
      * key - any type; may be null.
      * value - any orderable type. Rows in which it is null are skipped.
      * ties - 'first' or 'last': which of the rows that tie to take, in the order of the rows. By default the first, or any of
          them where the rows have no order. With `ties`, the call needs an order: OVER (... ORDER BY ...) or WITHIN GROUP
          (ORDER BY ...).
  """
}

@ExpressionDescription(
  usage = "_FUNC_(key, value[, ties]) - Returns the `key` of the row with the greatest `value`.",
  arguments = ArgExtreme.Arguments,
  examples = """
    Examples:
      > SELECT _FUNC_(k, v) FROM VALUES ('a', 1), ('b', 3), ('c', 2) AS t(k, v);
       b
      > SELECT i, _FUNC_(k, v) OVER w, _FUNC_(k, v, 'last') OVER w FROM VALUES (1, 'a', 5), (2, 'b', 5) AS t(i, k, v) WINDOW w AS (ORDER BY i);
       1	a	a
       2	a	b
      > SELECT _FUNC_(k, v, 'first') WITHIN GROUP (ORDER BY i) FROM VALUES (2, 'b', 5), (1, 'a', 5) AS t(i, k, v);
       a
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class ArgMax(key: Expression, value: Expression, ties: Option[Expression])
    extends ArgExtreme(largest = true) {
  def this(key: Expression, value: Expression) = this(key, value, None)
  def this(key: Expression, value: Expression, ties: Expression) = this(key, value, Some(ties))
  override def prettyName: String = "arg_max"

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): ArgMax =
    copy(c(0), c(1), c.lift(2))
}

@ExpressionDescription(
  usage = "_FUNC_(key, value[, ties]) - Returns the `key` of the row with the least `value`.",
  arguments = ArgExtreme.Arguments,
  examples = """
    Examples:
      > SELECT _FUNC_(k, v) FROM VALUES ('a', 2), ('b', 1), ('c', 3) AS t(k, v);
       b
      > SELECT i, _FUNC_(k, v) OVER w, _FUNC_(k, v, 'last') OVER w FROM VALUES (1, 'a', 5), (2, 'b', 5) AS t(i, k, v) WINDOW w AS (ORDER BY i);
       1	a	a
       2	a	b
      > SELECT _FUNC_(k, v, 'first') WITHIN GROUP (ORDER BY i) FROM VALUES (2, 'b', 5), (1, 'a', 5) AS t(i, k, v);
       a
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class ArgMin(key: Expression, value: Expression, ties: Option[Expression])
    extends ArgExtreme(largest = false) {
  def this(key: Expression, value: Expression) = this(key, value, None)
  def this(key: Expression, value: Expression, ties: Expression) = this(key, value, Some(ties))
  override def prettyName: String = "arg_min"

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): ArgMin =
    copy(c(0), c(1), c.lift(2))
}
