package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.BinaryLike
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._

/**
 * The four points of a frame that a line chart needs for one column of pixels. Ties are broken by the other coordinate, so that
 * the result does not depend on the order of the rows. O(1) time and space a row.
 *
 * @see
 *   Jugel, Jerzak, Hackenbroich, Markl, "M4: A Visualization-Oriented Time Series Data Aggregation", VLDB 2014, which Table 1
 *   of Tangwongsan, Hirzel and Schneider names
 */
@ExpressionDescription(
  usage =
    "_FUNC_(t, v) - Returns the first, last, lowest and highest of the points (`t`, `v`), which are what a line chart draws of them.",
  arguments = """
    Arguments:
      * t - the time of a point: any orderable type.
      * v - the value of a point: any orderable type. Points in which `t` or `v` is null are skipped.
  """,
  examples = """
    Examples:
      > SELECT p.first.v, p.last.v, p.lowest.v, p.highest.v FROM (SELECT _FUNC_(t, v) AS p FROM VALUES (1, 5), (2, 9), (3, 1), (4, 6) AS t(t, v));
       5	6	1	9
      > SELECT _FUNC_(t, v).highest FROM VALUES (1, 5), (2, 9), (3, NULL), (4, 9) AS t(t, v);
       {"t":2,"v":9}
  """,
  note = """
    First and last go by `t`, whatever the order of the rows. Of points at the same time, the first is the lowest and the last
    is the highest; of equally low or high points, the earliest is returned.
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class M4(left: Expression, right: Expression) extends MonoidAggregate with BinaryLike[Expression] {
  override def prettyName: String = "m4"

  override def checkInputDataTypes(): TypeCheckResult =
    ConstantArgument.first(
      () => TypeUtils.checkForOrderingExpr(left.dataType, prettyName),
      () => TypeUtils.checkForOrderingExpr(right.dataType, prettyName)
    )

  override lazy val dataType: DataType = {
    val point = new StructType().add("t", left.dataType).add("v", right.dataType)
    StructType(M4.Points.map(StructField(_, point)))
  }

  override protected def skips: Expression = anyNull(left, right)

  override protected def fields: Seq[(String, DataType)] =
    M4.Points.flatMap(point => Seq(s"$point.t" -> left.dataType, s"$point.v" -> right.dataType))

  override protected def lift: Seq[Expression] = M4.Points.flatMap(_ => children)

  override protected def combine(older: State, newer: State): Seq[Expression] =
    Seq(
      pick("first", older, newer)(LessThan(_, _), "t", "v")(LessThan(_, _)),
      pick("last", older, newer)(GreaterThan(_, _), "t", "v")(GreaterThan(_, _)),
      pick("lowest", older, newer)(LessThan(_, _), "v", "t")(LessThan(_, _)),
      pick("highest", older, newer)(GreaterThan(_, _), "v", "t")(LessThan(_, _))
    ).flatten

  private type Comparison = (Expression, Expression) => Expression

  /** The point that wins by its `by`, and among ties by its `thenBy`. */
  private def pick(point: String, older: State, newer: State)(wins: Comparison, by: String, thenBy: String)(
      thenWins: Comparison
  ): Seq[Expression] = {
    def each(compare: Comparison, part: String) = compare(newer(s"$point.$part"), older(s"$point.$part"))
    val newerWins =
      Or(each(wins, by), And(each(EqualTo(_, _), by), each(thenWins, thenBy)))
    Seq("t", "v").map(part => If(newerWins, newer(s"$point.$part"), older(s"$point.$part")))
  }

  override protected def lower(state: State): Expression =
    CreateNamedStruct(
      M4.Points.flatMap { point =>
        val parts = Seq("t", "v").flatMap(part => Seq(Literal(part), state(s"$point.$part")))
        Seq(Literal(point), CreateNamedStruct(parts))
      }
    )

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): M4 =
    copy(newLeft, newRight)
}

object M4 {
  private val Points = Seq("first", "last", "lowest", "highest")
}
