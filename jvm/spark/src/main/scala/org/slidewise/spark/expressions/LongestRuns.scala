package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLType
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._

/**
 * The longest run of values each of which is beyond the one before it. A state holds the run that it begins with, the one that
 * it ends with and the longest; where two states meet, the one's last run may go on in the other's first. Associative, not
 * commutative. O(1) time and space a row.
 *
 * @see
 *   Dani, Getta, "Incremental computation of aggregate operators over sliding windows", section 8.2
 */
abstract class LongestRun(increasing: Boolean) extends MonoidAggregate with OrderDependent {
  def x: Expression
  def strict: Option[Expression]

  private def rule = strict.map(ConstantArgument("strict", _))
  private lazy val isStrict = rule.forall(_.value == true)

  override def children: Seq[Expression] = x +: strict.toSeq
  override def rowArguments: Int = 1

  override def checkInputDataTypes(): TypeCheckResult =
    ConstantArgument.first(
      () => TypeUtils.checkForOrderingExpr(x.dataType, prettyName),
      () => rule.fold[TypeCheckResult](TypeCheckSuccess)(_.isGiven),
      () =>
        strict.map(_.dataType) match {
          case None | Some(BooleanType) => TypeCheckSuccess
          case _                        => NumericArgument.mismatch(strict.get, 1, toSQLType(BooleanType))
        }
    )

  override lazy val dataType: DataType = new StructType()
    .add("length", LongType)
    .add("first_position", LongType)
    .add("last_position", LongType)
    .add("start_value", x.dataType)
    .add("end_value", x.dataType)

  /** Nothing is skipped: a null has a position, too. */
  override protected def skips: Expression = Literal.FalseLiteral

  /** The rows and the values; then the first run, the last and the longest, null if there are no values. */
  override protected def fields: Seq[(String, DataType)] =
    Seq("rows" -> LongType, "values" -> LongType) ++ LongestRun.Runs.flatMap { run =>
      Seq("length", "from", "to").map(part => s"$run.$part" -> LongType) ++
        Seq("start", "end").map(part => s"$run.$part" -> x.dataType)
    }

  override protected def lift: Seq[Expression] = {
    def ifValue(e: Expression, otherwise: Expression) = if (x.nullable) If(IsNull(x), otherwise, e) else e
    val one = ifValue(Literal(1L), Literal.create(null, LongType))
    Seq(Literal(1L), ifValue(Literal(1L), Literal(0L))) ++
      LongestRun.Runs.flatMap(_ => Seq(one, one, one, x, x))
  }

  override protected def combine(older: State, newer: State): Seq[Expression] = {
    val at = older("rows")
    def of(state: State, run: String) = new Run(part => state(s"$run.$part"))
    def shifted(run: String) = of(newer, run).shifted(at)
    val bridge = new Run({
      case "length"                  => Add(older("last.length"), newer("first.length"))
      case part @ ("from" | "start") => of(older, "last")(part)
      case part                      => shifted("first")(part)
    })
    val goesOn = {
      val (before, after) = (older("last.end"), newer("first.start"))
      val (greater, less) = if (increasing) (after, before) else (before, after)
      if (isStrict) GreaterThan(greater, less) else GreaterThanOrEqual(greater, less)
    }
    def isOneRun(state: State, run: String) = EqualTo(state(s"$run.length"), state("values"))
    val first = choose(And(goesOn, isOneRun(older, "first")), bridge, of(older, "first"))
    val last = choose(And(goesOn, isOneRun(newer, "last")), bridge, shifted("last"))
    val longerBest =
      choose(GreaterThan(newer("best.length"), older("best.length")), shifted("best"), of(older, "best"))
    // A bridge begins after the older longest run and before the newer one; at equal lengths the oldest wins.
    val bridgeWins = And(
      goesOn,
      And(
        GreaterThan(bridge("length"), older("best.length")),
        GreaterThanOrEqual(bridge("length"), newer("best.length"))
      )
    )
    val best = choose(bridgeWins, bridge, longerBest)

    val noneBefore = EqualTo(older("values"), Literal(0L))
    val noneAfter = EqualTo(newer("values"), Literal(0L))
    val runs = Seq("first" -> first, "last" -> last, "best" -> best).flatMap { case (name, run) =>
      LongestRun.Parts.map { part =>
        CaseWhen(
          Seq(noneAfter -> of(older, name)(part), noneBefore -> shifted(name)(part)),
          run(part)
        )
      }
    }
    Seq(Add(at, newer("rows")), Add(older("values"), newer("values"))) ++ runs
  }

  private def choose(condition: Expression, one: Run, other: Run) =
    new Run(part => If(condition, one(part), other(part)))

  override protected def lower(state: State): Expression =
    If(
      EqualTo(state("values"), Literal(0L)),
      ofNothing,
      CreateNamedStruct(
        dataType.asInstanceOf[StructType].fieldNames.toSeq.zip(LongestRun.Parts).flatMap {
          case (name, part) =>
            Seq(Literal(name), state(s"best.$part"))
        }
      )
    )

  final private class Run(of: String => Expression) {
    def apply(part: String): Expression = of(part)

    /** The run as it lies behind so many rows. */
    def shifted(rows: Expression): Run = new Run({
      case part @ ("from" | "to") => Add(of(part), rows)
      case part                   => of(part)
    })
  }
}

private object LongestRun {
  val Runs: Seq[String] = Seq("first", "last", "best")
  val Parts: Seq[String] = Seq("length", "from", "to", "start", "end")
}

@ExpressionDescription(
  usage =
    "_FUNC_(x[, strict]) - Returns the longest run of values of `x` each of which is greater than the one before it.",
  arguments = """
    Arguments:
      * x - of any type that has an order. Nulls are skipped, and do not end a run.
      * strict - true, the default; false if equal values do not end a run either.
  """,
  examples = """
    Examples:
      > SELECT i, _FUNC_(x) OVER (ORDER BY i ROWS 3 PRECEDING) FROM VALUES (1, 5), (2, 2), (3, 4), (4, 9), (5, 1) AS t(i, x);
       1	{"length":1,"first_position":1,"last_position":1,"start_value":5,"end_value":5}
       2	{"length":1,"first_position":1,"last_position":1,"start_value":5,"end_value":5}
       3	{"length":2,"first_position":2,"last_position":3,"start_value":2,"end_value":4}
       4	{"length":3,"first_position":2,"last_position":4,"start_value":2,"end_value":9}
       5	{"length":3,"first_position":1,"last_position":3,"start_value":2,"end_value":9}
      > SELECT _FUNC_(x) WITHIN GROUP (ORDER BY i) FROM VALUES (5, 1), (3, 4), (1, 5), (4, 9), (2, 2) AS t(i, x);
       {"length":3,"first_position":2,"last_position":4,"start_value":2,"end_value":9}
  """,
  note = """
    Positions are those of the rows in the frame, from 1. Of equally long runs it is the first. The result is null if there are
    no values. The function depends on the order of the rows, and needs one: OVER (... ORDER BY ...) or WITHIN GROUP (ORDER BY
    ...).
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class LongestIncreasingRun(x: Expression, strict: Option[Expression])
    extends LongestRun(increasing = true) {
  def this(x: Expression) = this(x, None)
  def this(x: Expression, strict: Expression) = this(x, Some(strict))
  override def prettyName: String = "longest_increasing_run"

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): LongestIncreasingRun =
    copy(c(0), c.lift(1))
}

@ExpressionDescription(
  usage =
    "_FUNC_(x[, strict]) - Returns the longest run of values of `x` each of which is less than the one before it.",
  arguments = """
    Arguments:
      * x - of any type that has an order. Nulls are skipped, and do not end a run.
      * strict - true, the default; false if equal values do not end a run either.
  """,
  examples = """
    Examples:
      > SELECT i, r.length, r.last_position FROM (SELECT i, _FUNC_(x, false) OVER (ORDER BY i ROWS 3 PRECEDING) AS r FROM VALUES (1, 5), (2, 5), (3, 4), (4, 9) AS t(i, x));
       1	1	1
       2	2	2
       3	3	3
       4	3	3
      > SELECT _FUNC_(x) WITHIN GROUP (ORDER BY i DESC) FROM VALUES (1, 5), (3, 4), (2, 4), (4, 9) AS t(i, x);
       {"length":2,"first_position":1,"last_position":2,"start_value":9,"end_value":4}
  """,
  note = """
    Positions are those of the rows in the frame, from 1. Of equally long runs it is the first. The result is null if there are
    no values. The function depends on the order of the rows, and needs one: OVER (... ORDER BY ...) or WITHIN GROUP (ORDER BY
    ...).
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class LongestDecreasingRun(x: Expression, strict: Option[Expression])
    extends LongestRun(increasing = false) {
  def this(x: Expression) = this(x, None)
  def this(x: Expression, strict: Expression) = this(x, Some(strict))
  override def prettyName: String = "longest_decreasing_run"

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): LongestDecreasingRun =
    copy(c(0), c.lift(1))
}
