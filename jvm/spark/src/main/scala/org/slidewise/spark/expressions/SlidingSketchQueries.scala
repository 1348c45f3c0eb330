package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLType
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types._

import org.slidewise.core.summaries.{DyadicDigest, Estimate}
import org.slidewise.spark.errors.InvalidArgument
import org.slidewise.spark.shims.NullForNull

/** Queries a sketch for the window `[now - width, now]`, in time linear in its ranges. */
abstract class SlidingSketchQuery extends TernaryExpression with CodegenFallback with NullForNull {
  protected def sketch: Expression = first
  protected def now: Expression = second
  protected def width: Expression = third

  override def nullable: Boolean = true

  override def checkInputDataTypes(): TypeCheckResult =
    ConstantArgument.first(
      () =>
        sketch.dataType match {
          case BinaryType | NullType => TypeCheckSuccess
          case _                     => NumericArgument.mismatch(sketch, 0, toSQLType(BinaryType))
        },
      () => SketchTime.check(now, 1, width, 2),
      () =>
        if (!width.foldable || width.dataType == NullType || width.eval() == null) TypeCheckSuccess
        else
          ConstantArgument("width", width).inRange(
            s"[${SketchTime.shown(0, width.dataType)}, ${SketchTime.shown(SketchTime.MaxWidth, width.dataType)}]"
          ) { value =>
            val ticks = SketchTime.ticks(value, width.dataType)
            ticks >= 0 && ticks <= SketchTime.MaxWidth
          }
    )

  @transient private lazy val read = CachedDecoder.ofBytes(SlidingSketch.read(prettyName, _: Array[Byte]))

  final override protected def nullSafeEval(bytes: Any, to: Any, wide: Any): Any = {
    val digest = read(bytes.asInstanceOf[Array[Byte]])
    val end = SketchTime.ticks(to, now.dataType)
    val ticks = SketchTime.ticks(wide, width.dataType)
    check(digest, end, ticks)
    answer(digest.query(end, ticks))
  }

  protected def answer(estimate: Estimate): Any

  private def check(digest: DyadicDigest, end: Long, ticks: Long): Unit = {
    def shownTime(at: Long) = SketchTime.shown(at, now.dataType)
    def shownWidth(of: Long) = SketchTime.shown(of, width.dataType)
    if (ticks < 0 || ticks > digest.maxWidth)
      throw new InvalidArgument(
        prettyName,
        "width",
        shownWidth(ticks),
        s"from ${shownWidth(0)} to the sketch's max_width ${shownWidth(digest.maxWidth)}"
      )
    if (end < -SketchTime.MaxTime || end > SketchTime.MaxTime)
      throw new InvalidArgument(prettyName, "now", shownTime(end), "from -2^61 to 2^61 microseconds or units")
    if (digest.clock != Long.MinValue && end - ticks < digest.clock - digest.maxWidth)
      throw new InvalidArgument(
        prettyName,
        "now",
        shownTime(end),
        s"${shownTime(digest.clock - digest.maxWidth + ticks)} or later with a width of ${shownWidth(ticks)}, as the sketch's " +
          s"newest time is ${shownTime(digest.clock)} and its max_width ${shownWidth(digest.maxWidth)}"
      )
  }
}

@ExpressionDescription(
  usage =
    "_FUNC_(sketch, now, width) - Returns an estimate of the count, or sum, of the rows with times from `now - width` to `now`, both included.",
  arguments = """
    Arguments:
      * sketch - a result of `sliding_count_sketch_agg`, `sliding_sum_sketch_agg` or `sliding_sketch_union_agg`. Null gives null.
      * now - the end of the window, of the type of the sketch's times. Null gives null.
      * width - the width of the window, at most the sketch's `max_width`: a day-time interval, or an integer where `now` is one.
          Null gives null.
  """,
  examples = """
    Examples:
      > SELECT width, _FUNC_(s, 9, width) FROM (SELECT sliding_count_sketch_agg(ts, 20, 0.05) AS s FROM VALUES (3), (9), (8), (5) AS t(ts)) CROSS JOIN VALUES (1), (4), (6) AS w(width) ORDER BY width;
       1	2.0
       4	3.0
       6	4.0
  """,
  note = """
    The result is a double, halfway between the bounds. If the window ends at or after the newest time of the sketch, the
    error is at most epsilon times the true value; if it ends before, at most epsilon times the value from the start of the
    window up to the newest time. A window that starts before the newest time minus `max_width` is an error.
  """,
  group = "misc_funcs",
  since = "0.2.0"
)
case class SlidingSketchEstimate(first: Expression, second: Expression, third: Expression)
    extends SlidingSketchQuery {
  override def prettyName: String = "sliding_sketch_estimate"
  override def dataType: DataType = DoubleType
  override protected def answer(estimate: Estimate): Any = estimate.estimate

  override protected def withNewChildrenInternal(
      a: Expression,
      b: Expression,
      c: Expression
  ): SlidingSketchEstimate =
    copy(a, b, c)
}

@ExpressionDescription(
  usage =
    "_FUNC_(sketch, now, width) - Returns a lower and an upper bound of the count, or sum, of the rows with times from `now - width` to `now`.",
  arguments = """
    Arguments:
      * sketch - a result of `sliding_count_sketch_agg`, `sliding_sum_sketch_agg` or `sliding_sketch_union_agg`. Null gives null.
      * now - the end of the window, of the type of the sketch's times. Null gives null.
      * width - the width of the window, at most the sketch's `max_width`: a day-time interval, or an integer where `now` is one.
          Null gives null.
  """,
  examples = """
    Examples:
      > SELECT _FUNC_(sliding_sum_sketch_agg(ts, x, 20, 0.05), 9, 4) FROM VALUES (3, 10), (9, 20), (8, 30), (5, 40) AS t(ts, x);
       {"lower":90.0,"upper":90.0}
  """,
  note = """
    `sliding_sketch_estimate` returns the middle of the bounds, and its note states how far they can be apart.
  """,
  group = "misc_funcs",
  since = "0.2.0"
)
case class SlidingSketchBounds(first: Expression, second: Expression, third: Expression)
    extends SlidingSketchQuery {
  override def prettyName: String = "sliding_sketch_bounds"
  override def dataType: DataType =
    new StructType().add("lower", DoubleType, nullable = false).add("upper", DoubleType, nullable = false)
  override protected def answer(estimate: Estimate): Any = InternalRow(estimate.lower, estimate.upper)

  override protected def withNewChildrenInternal(
      a: Expression,
      b: Expression,
      c: Expression
  ): SlidingSketchBounds =
    copy(a, b, c)
}
