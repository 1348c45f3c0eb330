package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLType
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.trees.{BinaryLike, TernaryLike}
import org.apache.spark.sql.types._

import org.slidewise.core.summaries.{AdditiveCount, AdditiveSum, WindowSummary}
import org.slidewise.spark.errors.InvalidArgument

/**
 * Counts the rows of a frame in which something is true, to at most ε W where W is the frame's rows: over the last W rows in
 * about 1 / (2 ε) + 2 log₂(2 ε W) bits and O(1) a row, and elsewhere exactly.
 *
 * @see
 *   Ben Basat, Einziger, Friedman, Kassner, "Efficient Summing over Sliding Windows", Algorithm 1
 */
@ExpressionDescription(
  usage =
    "_FUNC_(condition, epsilon) - Returns about the number of rows in which `condition` is true: of W rows at most `epsilon` W off.",
  arguments = """
    Arguments:
      * condition - a boolean; null is not true.
      * epsilon - the error that is allowed, as a part of the frame's rows: a constant above 0 and below 1.
  """,
  examples = """
    Examples:
      > SELECT i, _FUNC_(x > 1, 0.01) OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM VALUES (1, 5), (2, 1), (3, 7), (4, 3) AS t(i, x);
       1	1.0
       2	1.0
       3	2.0
       4	2.0
      > SELECT _FUNC_(x > 1, 0.01) FROM VALUES (5), (1), (7) AS t(x);
       2.0
  """,
  note = """
    Over `ROWS BETWEEN n PRECEDING AND CURRENT ROW` W is n + 1, and no rows are kept, but about 1 / (2 epsilon) bits a partition.
    Elsewhere, where epsilon is below 0.000001, and while spark.slidewise.enabled or spark.slidewise.mergeApproximate is off, the
    answer is exact. A double, as an estimate may lie between two counts.
  """,
  group = "agg_funcs",
  since = "0.1.0"
)
case class ApproxCountIf(condition: Expression, epsilon: Expression)
    extends MonoidAggregate
    with SummarizesLastRows
    with BinaryLike[Expression] {

  override def left: Expression = condition
  override def right: Expression = epsilon
  override def prettyName: String = "approx_count_if"
  override def dataType: DataType = DoubleType

  override def checkInputDataTypes(): TypeCheckResult =
    ConstantArgument.first(
      () =>
        condition.dataType match {
          case BooleanType | NullType => TypeCheckSuccess
          case _                      => NumericArgument.mismatch(condition, 0, toSQLType(BooleanType))
        },
      () => EpsilonArgument.checkAdditive(epsilon, 1)
    )

  override protected def fields: Seq[(String, DataType)] = Seq("count" -> LongType)
  override protected def skips: Expression = Not(inserted)
  override protected def lift: Seq[Expression] = Seq(Literal(1L))
  override protected def combine(older: State, newer: State): Seq[Expression] =
    Seq(Add(older("count"), newer("count")))
  override protected def lower(state: State): Expression = Cast(state("count"), DoubleType)
  override protected def ofNothing: Literal = Literal(0.0)

  override def allowedError: Double = EpsilonArgument.of(epsilon)
  override def inserted: Expression =
    Coalesce(Seq(Sums.cast(condition, BooleanType), Literal.FalseLiteral))

  override def summaryOf(window: Long): RowSummary = of(AdditiveCount.create(window, allowedError))
  override def summaryFrom(bytes: Array[Byte]): RowSummary = of(AdditiveCount.fromBytes(bytes))

  private def of(count: AdditiveCount): RowSummary = new SummaryOfRows(count) {
    override def insert(row: InternalRow, ordinal: Int): Unit =
      count.insert(!row.isNullAt(ordinal) && row.getBoolean(ordinal))
  }

  override protected def withNewChildrenInternal(c: Expression, e: Expression): ApproxCountIf = copy(c, e)
}

/**
 * Sums numbers from 0 to R over a frame, to at most ε R W where W is the frame's rows: over the last W rows in about
 * 1 / (2 ε) + log₂ W + log₂(1 / ε) bits and O(1) a row, and elsewhere exactly.
 *
 * @see
 *   Ben Basat, Einziger, Friedman, Kassner, "Efficient Summing over Sliding Windows", Algorithms 2 and 3
 */
@ExpressionDescription(
  usage =
    "_FUNC_(x, upper_bound, epsilon) - Returns about the sum of `x`, which is from 0 to `upper_bound`: of W rows at most `epsilon` W `upper_bound` off.",
  arguments = """
    Arguments:
      * x - a number from 0 to `upper_bound`; another is an error when its row is read. Null adds nothing.
      * upper_bound - the greatest `x`: a positive constant, and up to 2^53 where it is a whole number.
      * epsilon - the error that is allowed, as a part of the greatest sum of the frame's rows: a constant above 0 and below 1.
  """,
  examples = """
    Examples:
      > SELECT i, _FUNC_(x, 10, 0.01) OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM VALUES (1, 5), (2, 1), (3, 7), (4, 3) AS t(i, x);
       1	5.0
       2	6.0
       3	13.0
       4	11.0
      > SELECT _FUNC_(x, 10, 0.01) FROM VALUES (5), (1), (7) AS t(x);
       13.0
  """,
  note = """
    Over `ROWS BETWEEN n PRECEDING AND CURRENT ROW` W is n + 1, and no rows are kept, but about 1 / (2 epsilon) bits a partition, or,
    where epsilon is below 1 / (2 W), a few bits a row. Elsewhere, where epsilon is below 0.000001, and while
    spark.slidewise.enabled or spark.slidewise.mergeApproximate is off, the answer is exact but for the rounding of doubles. Of no
    rows it is 0.
  """,
  group = "agg_funcs",
  since = "0.1.0"
)
case class ApproxSum(x: Expression, upperBound: Expression, epsilon: Expression)
    extends MonoidAggregate
    with SummarizesLastRows
    with TernaryLike[Expression] {

  override def first: Expression = x
  override def second: Expression = upperBound
  override def third: Expression = epsilon
  override def prettyName: String = "approx_sum"
  override def dataType: DataType = DoubleType

  private def constantBound = ConstantArgument("upper_bound", upperBound)
  private lazy val bound = EpsilonArgument.number(constantBound.value)
  private def isWhole = SketchTime.isWhole(x.dataType) && SketchTime.isWhole(upperBound.dataType)

  override def checkInputDataTypes(): TypeCheckResult = {
    val (allowed, most) =
      if (SketchTime.isWhole(upperBound.dataType)) (s"[1, ${ApproxSum.Most}]", ApproxSum.Most.toDouble)
      else (s"(0, ${Double.MaxValue}]", Double.MaxValue)
    ConstantArgument.first(
      () => NumericArgument.check(x, 0),
      () => NumericArgument.check(upperBound, 1),
      () =>
        constantBound.inRange(allowed) { value =>
          val number = EpsilonArgument.number(value)
          number > 0 && number <= most
        },
      () => EpsilonArgument.checkAdditive(epsilon, 2)
    )
  }

  override protected def fields: Seq[(String, DataType)] = Seq("sum" -> DoubleType)
  override protected def skips: Expression = anyNull(x)
  override protected def lift: Seq[Expression] = Seq(Sums.cast(inserted, DoubleType))
  override protected def combine(older: State, newer: State): Seq[Expression] =
    Seq(Add(older("sum"), newer("sum")))
  override protected def lower(state: State): Expression = state("sum")
  override protected def ofNothing: Literal = Literal(0.0)

  override def allowedError: Double = EpsilonArgument.of(epsilon)
  override def inserted: Expression = FromZeroTo(Sums.cast(x, if (isWhole) LongType else DoubleType), bound)

  override def summaryOf(window: Long): RowSummary = of(
    if (isWhole) AdditiveSum.create(window, bound.toLong, allowedError)
    else AdditiveSum.createReal(window, bound, allowedError)
  )

  override def summaryFrom(bytes: Array[Byte]): RowSummary = of(AdditiveSum.fromBytes(bytes))

  private def of(sum: AdditiveSum): RowSummary =
    if (isWhole) new SummaryOfRows(sum) {
      override def insert(row: InternalRow, ordinal: Int): Unit =
        sum.insert(if (row.isNullAt(ordinal)) 0L else row.getLong(ordinal))
    }
    else
      new SummaryOfRows(sum) {
        override def insert(row: InternalRow, ordinal: Int): Unit =
          sum.insert(if (row.isNullAt(ordinal)) 0.0 else row.getDouble(ordinal))
      }

  override protected def withNewChildrenInternal(a: Expression, b: Expression, c: Expression): ApproxSum =
    copy(a, b, c)
}

/** One of the core's summaries, of what an expression makes of rows. */
abstract private class SummaryOfRows(summary: WindowSummary) extends RowSummary {
  final override def estimate: Double = summary.estimate
  final override def bits: Long = summary.bits
  final override def toBytes: Array[Byte] = summary.toBytes
}

private object ApproxSum {
  val Most: Long = 1L << 53
}

/** A number that must be from 0 to `bound`. */
case class FromZeroTo(child: Expression, bound: Double) extends UnaryExpression {
  override def dataType: DataType = child.dataType
  override def nullIntolerant: Boolean = true

  override protected def nullSafeEval(value: Any): Any = {
    val number = value.asInstanceOf[Number].doubleValue
    if (!(number >= 0 && number <= bound)) throw FromZeroTo.refused(value.toString, bound)
    value
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = nullSafeCodeGen(
    ctx,
    ev,
    c =>
      s"""
      if (!($c >= 0 && $c <= ${bound}D)) throw ${classOf[
          FromZeroTo
        ].getName}.refused(String.valueOf($c), ${bound}D);
      ${ev.value} = $c;
    """
  )

  override protected def withNewChildInternal(newChild: Expression): FromZeroTo = copy(child = newChild)
}

object FromZeroTo {
  def refused(value: String, bound: Double): RuntimeException =
    new InvalidArgument("approx_sum", "x", value, s"from 0 to the upper_bound $bound")
}
