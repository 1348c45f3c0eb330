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
import org.slidewise.spark.shims.NullForNull

/**
 * Counts the rows of a frame in which a condition is true, with an error of at most ε W over W rows. Over the last W rows a summary
 * takes about 1 / (2 ε) + 2 log₂(2 ε W) bits and O(1) time a row; in other frames the count is exact.
 *
 * @see
 *   Ben Basat, Einziger, Friedman, Kassner, "Efficient Summing over Sliding Windows", Algorithm 1
 */
@ExpressionDescription(
  usage =
    "_FUNC_(condition, epsilon) - Returns the number of rows in which `condition` is true; the error is at most `epsilon` times the rows of the frame.",
  arguments = """
    Arguments:
      * condition - a boolean; null counts as false.
      * epsilon - the allowed error as a fraction of the frame's rows: a constant above 0 and below 1.
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
    Over `ROWS BETWEEN n PRECEDING AND CURRENT ROW` the function keeps about 1 / (2 epsilon) bits for each partition, and no
    rows. In other frames, with an epsilon below 0.000001, and while spark.slidewise.enabled or
    spark.slidewise.mergeApproximate is false, the result is exact. It is a double, since an estimate may lie between two
    counts.
  """,
  group = "agg_funcs",
  since = "0.2.0"
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
  override protected def emptyResult: Literal = Literal(0.0)

  override def allowedError: Double = EpsilonArgument.of(epsilon)
  override def inserted: Expression =
    Coalesce(Seq(Sums.cast(condition, BooleanType), Literal.FalseLiteral))

  override def summaryOf(window: Long): RowSummary = of(AdditiveCount.create(window, allowedError))
  override def summaryFrom(bytes: Array[Byte]): RowSummary = of(AdditiveCount.fromBytes(bytes))

  private def of(count: AdditiveCount): RowSummary = new CoreSummary(count) {
    override def insert(row: InternalRow, ordinal: Int): Unit =
      count.insert(!row.isNullAt(ordinal) && row.getBoolean(ordinal))
  }

  override protected def withNewChildrenInternal(c: Expression, e: Expression): ApproxCountIf = copy(c, e)
}

/**
 * Sums numbers from 0 to R, with an error of at most ε R W over W rows. Over the last W rows a summary takes about
 * 1 / (2 ε) + log₂ W + log₂(1 / ε) bits and O(1) time a row; in other frames the sum is exact.
 *
 * @see
 *   Ben Basat, Einziger, Friedman, Kassner, "Efficient Summing over Sliding Windows", Algorithms 2 and 3
 */
@ExpressionDescription(
  usage =
    "_FUNC_(x, upper_bound, epsilon) - Returns the sum of `x`, which is from 0 to `upper_bound`; the error is at most `epsilon` times `upper_bound` times the rows of the frame.",
  arguments = """
    Arguments:
      * x - a number from 0 to `upper_bound`; another value is an error. Null adds nothing.
      * upper_bound - the greatest allowed value of `x`: a positive constant, at most 2^53 if it is an integer, and otherwise from 2^-960 to 2^960.
      * epsilon - the allowed error as a fraction of the frame's greatest possible sum: a constant above 0 and below 1.
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
    Over `ROWS BETWEEN n PRECEDING AND CURRENT ROW` the function keeps no rows, but about 1 / (2 epsilon) bits for each
    partition, or a few bits for each row if epsilon is below 1 / (2 n + 2). In other frames, with an epsilon below 0.000001,
    and while spark.slidewise.enabled or spark.slidewise.mergeApproximate is false, the result is exact except for rounding.
    Without rows it is 0.
  """,
  group = "agg_funcs",
  since = "0.2.0"
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

  private def boundArgument = ConstantArgument("upper_bound", upperBound)
  private lazy val bound = EpsilonArgument.number(boundArgument.value)
  private def isWhole = SketchTime.isWhole(x.dataType) && SketchTime.isWhole(upperBound.dataType)

  override def checkInputDataTypes(): TypeCheckResult = {
    val (allowed, max) =
      if (SketchTime.isWhole(upperBound.dataType))
        (s"[1, ${ApproxSum.MaxIntegralBound}]", ApproxSum.MaxIntegralBound.toDouble)
      else ("[2^-960, 2^960]", AdditiveSum.MostReal)
    ConstantArgument.first(
      () => NumericArgument.check(x, 0),
      () => NumericArgument.check(upperBound, 1),
      () =>
        boundArgument.inRange(allowed) { value =>
          val number = EpsilonArgument.number(value)
          number >= AdditiveSum.LeastReal && number <= max
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
  override protected def emptyResult: Literal = Literal(0.0)

  override def allowedError: Double = EpsilonArgument.of(epsilon)
  override def inserted: Expression = RangeChecked(Sums.cast(x, if (isWhole) LongType else DoubleType), bound)

  override def summaryOf(window: Long): RowSummary = of(
    if (isWhole) AdditiveSum.create(window, bound.toLong, allowedError)
    else AdditiveSum.createReal(window, bound, allowedError)
  )

  override def summaryFrom(bytes: Array[Byte]): RowSummary = of(AdditiveSum.fromBytes(bytes))

  private def of(sum: AdditiveSum): RowSummary =
    if (isWhole) new CoreSummary(sum) {
      override def insert(row: InternalRow, ordinal: Int): Unit =
        sum.insert(if (row.isNullAt(ordinal)) 0L else row.getLong(ordinal))
    }
    else
      new CoreSummary(sum) {
        override def insert(row: InternalRow, ordinal: Int): Unit =
          sum.insert(if (row.isNullAt(ordinal)) 0.0 else row.getDouble(ordinal))
      }

  override protected def withNewChildrenInternal(a: Expression, b: Expression, c: Expression): ApproxSum =
    copy(a, b, c)
}

/** A summary of the core, into which subclasses insert the value of an expression. */
abstract private class CoreSummary(summary: WindowSummary) extends RowSummary {
  final override def estimate: Double = summary.estimate
  final override def heapBytes: Long = summary.heapBytes
  final override def toBytes: Array[Byte] = summary.toBytes
}

private object ApproxSum {
  val MaxIntegralBound: Long = 1L << 53
}

/** Returns its child, a number, and fails if that is not from 0 to `bound`. */
case class RangeChecked(child: Expression, bound: Double) extends UnaryExpression with NullForNull {
  override def dataType: DataType = child.dataType

  override protected def nullSafeEval(value: Any): Any = {
    val number = value.asInstanceOf[Number].doubleValue
    if (!(number >= 0 && number <= bound)) throw RangeChecked.refused(value.toString, bound)
    value
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = nullSafeCodeGen(
    ctx,
    ev,
    c =>
      s"""
      if (!($c >= 0 && $c <= ${bound}D)) throw ${classOf[
          RangeChecked
        ].getName}.refused(String.valueOf($c), ${bound}D);
      ${ev.value} = $c;
    """
  )

  override protected def withNewChildInternal(newChild: Expression): RangeChecked = copy(child = newChild)
}

object RangeChecked {
  def refused(value: String, bound: Double): RuntimeException =
    new InvalidArgument("approx_sum", "x", value, s"from 0 to upper_bound = $bound")
}
