package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/**
 * The mean over time of values measured at points. The buffer holds the first and the last point and the area between them; a
 * merge adds the area between the older buffer's last and the newer buffer's first point. O(1) time and space a row.
 */
@ExpressionDescription(
  usage = "_FUNC_(t, x[, method]) - Returns the mean of `x` over the time from the first to the last row.",
  arguments = """
    Arguments:
      * t - the time of a row: a timestamp, a date, a time of day, a day-time interval or a number. The rows must ascend by
          `t`.
      * x - a number. Rows in which `t` or `x` is null are skipped.
      * method - 'locf', the default, if a value holds until the next row (last observation carried forward); 'linear' for a
          straight line between rows.
  """,
  examples = """
    Examples:
      > SELECT i, _FUNC_(t, x) OVER (ORDER BY t) FROM VALUES (1, 0, 10), (2, 9, 20), (3, 10, 0) AS t(i, t, x);
       1	10.0
       2	10.0
       3	11.0
      > SELECT _FUNC_(t, x, 'linear') OVER (ORDER BY t ROWS 1 PRECEDING) FROM VALUES (TIMESTAMP'2026-01-01', 10), (TIMESTAMP'2026-01-02', 20) AS t(t, x);
       10.0
       15.0
      > SELECT _FUNC_(t, x) WITHIN GROUP (ORDER BY t) FROM VALUES (10, 0), (0, 10), (9, 20) AS t(t, x);
       11.0
  """,
  note = """
    The result is a double. If the first and the last row have the same time, it is the last value. Areas are summed in
    microseconds, or in the units of `t`, and are infinite past 10^308. The result depends on the order of the rows, in which
    `t` must ascend: use OVER (... ORDER BY t) or WITHIN GROUP (ORDER BY t). ORDER BY t DESC is refused; an order by other
    expressions is not checked.
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class TimeWeightedMean(t: Expression, x: Expression, method: Option[Expression])
    extends MonoidAggregate
    with OrderDependent {
  def this(t: Expression, x: Expression) = this(t, x, None)
  def this(t: Expression, x: Expression, method: Expression) = this(t, x, Some(method))

  override def prettyName: String = "time_weighted_avg"
  override def children: Seq[Expression] = Seq(t, x) ++ method
  override def dataType: DataType = DoubleType
  override def rowArguments: Int = 2
  override def ascending: Option[Expression] = Some(t)

  private def methodArgument = method.map(ConstantArgument("method", _))
  private lazy val isLinear = methodArgument.exists(_.word == "linear")
  private lazy val time = TimeArgument.ticks(t)
  private lazy val value = Sums.cast(x, DoubleType)

  override def checkInputDataTypes(): TypeCheckResult =
    ConstantArgument.first(
      () => TimeArgument.check(t, 0),
      () => NumericArgument.check(x, 1),
      () => methodArgument.fold[TypeCheckResult](TypeCheckSuccess)(_.oneOf("locf", "linear"))
    )

  override protected def skips: Expression = anyNull(time, value)

  override protected def fields: Seq[(String, DataType)] =
    Seq("first.t" -> time.dataType, "last.t" -> time.dataType) ++
      Seq("first.x", "last.x", "area").map(_ -> DoubleType)

  override protected def lift: Seq[Expression] = Seq(time, time, value, value, Literal(0.0))

  override protected def combine(older: State, newer: State): Seq[Expression] = {
    val height =
      if (isLinear) Add(half(older("last.x")), half(newer("first.x"))) else older("last.x")
    val elapsed = TimeArgument.elapsed(older("last.t"), newer("first.t"))
    // A value that holds for no time has no weight, even if it is infinite or NaN.
    val between = If(EqualTo(elapsed, Literal(0.0)), Literal(0.0), Multiply(height, elapsed))
    Seq(
      older("first.t"),
      newer("last.t"),
      older("first.x"),
      newer("last.x"),
      Add(Add(older("area"), between), newer("area"))
    )
  }

  private def half(value: Expression) = Multiply(value, Literal(0.5))

  override protected def lower(state: State): Expression =
    If(
      EqualTo(state("first.t"), state("last.t")),
      state("last.x"),
      Divide(state("area"), TimeArgument.elapsed(state("first.t"), state("last.t")))
    )

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): TimeWeightedMean =
    copy(c(0), c(1), c.lift(2))
}
