package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.BinaryLike
import org.apache.spark.sql.types._

/**
 * The increase of a counter, which never falls except by a reset to 0. Increases are added from row to row and never subtracted.
 * Associative, not commutative. O(1) time and space a row.
 */
abstract class CounterFunction extends MonoidAggregate with BinaryLike[Expression] with OrderDependent {
  def t: Expression
  def x: Expression

  override def left: Expression = t
  override def right: Expression = x
  override def rowArguments: Int = 2
  override def ascending: Option[Expression] = Some(t)

  private lazy val time = TimeArgument.ticks(t)
  private lazy val number = NumericArgument.of(x)
  protected lazy val sumType: DataType = Sums.stateTypeOf(number.dataType)

  override def checkInputDataTypes(): TypeCheckResult =
    ConstantArgument.first(() => TimeArgument.check(t, 0), () => NumericArgument.check(x, 1))

  override protected def skips: Expression = anyNull(time, number)

  override protected def fields: Seq[(String, DataType)] =
    Seq(
      "first.t" -> time.dataType,
      "last.t" -> time.dataType,
      "first.x" -> number.dataType,
      "last.x" -> number.dataType,
      "increase" -> sumType,
      "rows" -> LongType
    )

  override protected def lift: Seq[Expression] =
    Seq(time, time, number, number, Sums.cast(Literal(0), sumType), Literal(1L))

  override protected def combine(older: State, newer: State): Seq[Expression] = {
    val (before, after) = (older("last.x"), newer("first.x"))
    def sum(e: Expression) = Sums.cast(e, sumType)
    val step = If(LessThan(after, before), sum(after), Sums.subtract(sum(after), sum(before)))
    Seq(
      older("first.t"),
      newer("last.t"),
      older("first.x"),
      newer("last.x"),
      Sums.add(Sums.add(older("increase"), step), newer("increase")),
      Add(older("rows"), newer("rows"))
    )
  }

  /** The result, or null for a single row. */
  protected def unlessSingleRow(state: State, answer: Expression): Expression =
    If(GreaterThan(state("rows"), Literal(1L)), answer, Literal.create(null, dataType))
}

private object CounterFunction {
  final val Arguments = """
    Arguments:
      * t - the time of a row: a timestamp, a date, a time of day, a day-time interval or a number of seconds. The rows must
          ascend by `t`.
      * x - the counter: a number of at least 0. A value below the one before it means that the counter was reset to 0, and
          adds the value itself; a negative value after a greater one therefore reduces the result. Rows in which `t` or `x`
          is null are skipped.
  """
}

@ExpressionDescription(
  usage = "_FUNC_(t, x) - Returns the increase of the counter `x` from the first to the last row.",
  arguments = CounterFunction.Arguments,
  examples = """
    Examples:
      > SELECT t, _FUNC_(t, x) OVER (ORDER BY t ROWS 2 PRECEDING) FROM VALUES (0, 5), (10, 9), (20, 3), (30, 4) AS t(t, x);
       0	NULL
       10	4
       20	7
       30	4
      > SELECT _FUNC_(t, x) WITHIN GROUP (ORDER BY t) FROM VALUES (20, 3), (10, 9), (0, 5), (30, 4) AS t(t, x);
       8
  """,
  note = """
    The result has the type of `sum(x)`, and is null for fewer than two rows. Nothing is extrapolated to the ends of the
    frame. The result depends on the order of the rows, in which `t` must ascend: use OVER (... ORDER BY t) or WITHIN GROUP
    (ORDER BY t). ORDER BY t DESC is refused; an order by other expressions is not checked.
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class CounterIncrease(t: Expression, x: Expression) extends CounterFunction {
  override def prettyName: String = "increase"
  override def dataType: DataType = Sums.typeOf(x.dataType)

  override protected def lower(state: State): Expression =
    unlessSingleRow(state, Sums.finish(state("increase"), dataType))

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): CounterIncrease =
    copy(newLeft, newRight)
}

@ExpressionDescription(
  usage =
    "_FUNC_(t, x) - Returns the increase of the counter `x` per second, from the first to the last row.",
  arguments = CounterFunction.Arguments,
  examples = """
    Examples:
      > SELECT t, _FUNC_(t, x) OVER (ORDER BY t ROWS 2 PRECEDING) FROM VALUES (0, 5), (10, 9), (20, 3), (30, 4) AS t(t, x);
       0	NULL
       10	0.4
       20	0.35
       30	0.2
      > SELECT _FUNC_(t, x) WITHIN GROUP (ORDER BY t) FROM VALUES (20, 3), (10, 9), (0, 5) AS t(t, x);
       0.35
  """,
  note = """
    The result is a double, and null for fewer than two rows or if no time passes between the first and the last. Nothing is
    extrapolated to the ends of the frame. The result depends on the order of the rows, in which `t` must ascend: use OVER
    (... ORDER BY t) or WITHIN GROUP (ORDER BY t). ORDER BY t DESC is refused; an order by other expressions is not checked.
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class CounterRate(t: Expression, x: Expression) extends CounterFunction {
  override def prettyName: String = "rate"
  override def dataType: DataType = DoubleType

  override protected def lower(state: State): Expression = {
    val ticks = TimeArgument.elapsed(state("first.t"), state("last.t"))
    val seconds = Multiply(ticks, Literal(TimeArgument.secondsPerTick(t.dataType)))
    val rate = Divide(Sums.cast(state("increase"), DoubleType), seconds)
    unlessSingleRow(state, If(EqualTo(ticks, Literal(0.0)), Literal.create(null, DoubleType), rate))
  }

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): CounterRate =
    copy(newLeft, newRight)
}
