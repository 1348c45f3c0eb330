package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLType
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.trees.{QuaternaryLike, TernaryLike, UnaryLike}
import org.apache.spark.sql.types._

import org.slidewise.core.summaries.DyadicDigest
import org.slidewise.spark.errors.InvalidArgument

/**
 * An aggregate whose result is a [[org.slidewise.core.summaries.DyadicDigest]]. A row takes O(log W) amortized time, a merge time
 * linear in the size of a digest: about ln(ε B) / ε ranges of 20 to 30 bits for a count or sum of B.
 *
 * @see
 *   Busch, Tirthapura, "A Deterministic Algorithm for Summarizing Asynchronous Streams over a Sliding Window"
 */
abstract class SlidingSketchAggregate
    extends TypedImperativeAggregate[SlidingSketch]
    with NonMutatingMerge
    with ApproximateAggregate
    with Serializable {

  /** The argument whose values are summed, for errors. */
  protected def summed: String

  override def dataType: DataType = BinaryType
  override def nullable: Boolean = true

  override def createAggregationBuffer(): SlidingSketch = new SlidingSketch(null)

  override def merge(buffer: SlidingSketch, newer: SlidingSketch): SlidingSketch = {
    buffer.merge(prettyName, summed, newer.digest)
    buffer
  }

  override def eval(buffer: SlidingSketch): Any = buffer.toBytes(prettyName, summed)

  override def serialize(buffer: SlidingSketch): Array[Byte] =
    if (buffer.digest == null) Array.emptyByteArray else buffer.toBytes(prettyName, summed)

  override def deserialize(bytes: Array[Byte]): SlidingSketch =
    new SlidingSketch(if (bytes.isEmpty) null else SlidingSketch.read(prettyName, bytes))
}

/** An aggregate that builds a sketch from rows. */
abstract class SlidingSketchOfRows extends SlidingSketchAggregate {
  def ts: Expression
  def maxWidth: Expression
  def epsilon: Expression

  private def position(argument: Expression) = children.indexWhere(_ eq argument)

  override def checkInputDataTypes(): TypeCheckResult =
    ConstantArgument.first(
      () => SketchTime.check(ts, 0, maxWidth, position(maxWidth)),
      () =>
        ConstantArgument("max_width", maxWidth).inRange(
          s"[${SketchTime.shown(1, maxWidth.dataType)}, ${SketchTime.shown(SketchTime.MaxWidth, maxWidth.dataType)}]"
        ) { value =>
          val width = SketchTime.ticks(value, maxWidth.dataType)
          width >= 1 && width <= SketchTime.MaxWidth
        },
      () => EpsilonArgument.checkRelative(epsilon, position(epsilon))
    )

  private lazy val width =
    SketchTime.ticks(ConstantArgument("max_width", maxWidth).value, maxWidth.dataType)
  private lazy val error = EpsilonArgument.of(epsilon)

  /** Inserts `value` at the time `at`. */
  final protected def insert(buffer: SlidingSketch, at: Any, value: Long): SlidingSketch = {
    val time = SketchTime.ticks(at, ts.dataType)
    if (time < -SketchTime.MaxTime || time > SketchTime.MaxTime)
      throw new InvalidArgument(
        prettyName,
        "ts",
        Cast.toSQLValue(at, ts.dataType),
        s"from ${SketchTime.shown(-SketchTime.MaxTime, ts.dataType)} to ${SketchTime.shown(SketchTime.MaxTime, ts.dataType)}"
      )
    if (buffer.digest == null) buffer.digest = DyadicDigest.create(width, error)
    SlidingSketch.summing(prettyName, summed)(buffer.digest.insert(time, value))
    buffer
  }
}

@ExpressionDescription(
  usage =
    "_FUNC_(ts, max_width, epsilon) - Returns a sketch that estimates the number of rows in any time window, within a relative error.",
  arguments = """
    Arguments:
      * ts - the time of a row: a timestamp, a timestamp without time zone, a date or an integer. Rows may come in any order.
          Rows in which it is null are skipped; without other rows, the result is null.
      * max_width - the greatest window width that can be queried: a constant day-time interval, or a constant integer where `ts` is
          one.
      * epsilon - the greatest relative error: a constant of at least 2^-20 and below 1.
  """,
  examples = """
    Examples:
      > SELECT sliding_sketch_estimate(_FUNC_(ts, INTERVAL '1' HOUR, 0.05), TIMESTAMP'2026-01-01 00:30:00', INTERVAL '10' MINUTE) FROM VALUES (TIMESTAMP'2026-01-01 00:25:00'), (TIMESTAMP'2026-01-01 00:05:00'), (TIMESTAMP'2026-01-01 00:30:00') AS t(ts);
       2.0
      > SELECT i, sliding_sketch_estimate(_FUNC_(ts, 10, 0.1) OVER (ORDER BY i ROWS 2 PRECEDING), 9, 3) FROM VALUES (1, 7), (2, 9), (3, 5), (4, 8) AS t(i, ts);
       1	1.0
       2	2.0
       3	2.0
       4	2.0
  """,
  note = """
    Query the result with `sliding_sketch_estimate` or `sliding_sketch_bounds`, and merge results with
    `sliding_sketch_union_agg`. Rows that are more than `max_width` older than the newest row are dropped, so one time far in
    the future drops all earlier rows. A date counts as its midnight.
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class SlidingCountSketch(
    ts: Expression,
    maxWidth: Expression,
    epsilon: Expression,
    mutableAggBufferOffset: Int,
    inputAggBufferOffset: Int
) extends SlidingSketchOfRows
    with TernaryLike[Expression] {
  def this(ts: Expression, maxWidth: Expression, epsilon: Expression) = this(ts, maxWidth, epsilon, 0, 0)

  override def first: Expression = ts
  override def second: Expression = maxWidth
  override def third: Expression = epsilon
  override def prettyName: String = "sliding_count_sketch_agg"
  override protected def summed: String = "ts"

  override def update(buffer: SlidingSketch, input: InternalRow): SlidingSketch = {
    val at = ts.eval(input)
    if (at == null) buffer else insert(buffer, at, 1L)
  }

  override def withNewMutableAggBufferOffset(offset: Int): SlidingCountSketch =
    copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): SlidingCountSketch =
    copy(inputAggBufferOffset = offset)
  override protected def withNewChildrenInternal(
      t: Expression,
      w: Expression,
      e: Expression
  ): SlidingCountSketch =
    copy(ts = t, maxWidth = w, epsilon = e)
}

@ExpressionDescription(
  usage =
    "_FUNC_(ts, x, max_width, epsilon) - Returns a sketch that estimates the sum of `x` in any time window, within a relative error.",
  arguments = """
    Arguments:
      * ts - the time of a row: a timestamp, a timestamp without time zone, a date or an integer. Rows may come in any order.
      * x - an integer from 0 to 2^53; another value is an error. Rows in which `ts` or `x` is null are skipped; without other
          rows, the result is null.
      * max_width - the greatest window width that can be queried: a constant day-time interval, or a constant integer where `ts` is
          one.
      * epsilon - the greatest relative error: a constant of at least 2^-20 and below 1.
  """,
  examples = """
    Examples:
      > SELECT sliding_sketch_estimate(_FUNC_(ts, bytes, INTERVAL '1' HOUR, 0.05), TIMESTAMP'2026-01-01 00:30:00', INTERVAL '10' MINUTE) FROM VALUES (TIMESTAMP'2026-01-01 00:25:00', 1500), (TIMESTAMP'2026-01-01 00:05:00', 40), (TIMESTAMP'2026-01-01 00:30:00', 60) AS t(ts, bytes);
       1560.0
      > SELECT g, sliding_sketch_estimate(_FUNC_(ts, x, 10, 0.1), 9, 3) FROM VALUES ('a', 7, 5), ('a', 9, 1), ('b', 5, 4), ('b', 8, 2) AS t(g, ts, x) GROUP BY g ORDER BY g;
       a	6.0
       b	2.0
  """,
  note = """
    Query the result with `sliding_sketch_estimate` or `sliding_sketch_bounds`, and merge results with
    `sliding_sketch_union_agg`. Rows that are more than `max_width` older than the newest row are dropped, so one time far in
    the future drops all earlier rows. A date counts as its midnight. To sum fractions, scale them: `CAST(round(100 * price)
    AS BIGINT)`. The sum of all values must stay below 2^62.
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class SlidingSumSketch(
    ts: Expression,
    x: Expression,
    maxWidth: Expression,
    epsilon: Expression,
    mutableAggBufferOffset: Int,
    inputAggBufferOffset: Int
) extends SlidingSketchOfRows
    with QuaternaryLike[Expression] {
  def this(ts: Expression, x: Expression, maxWidth: Expression, epsilon: Expression) =
    this(ts, x, maxWidth, epsilon, 0, 0)

  override def first: Expression = ts
  override def second: Expression = x
  override def third: Expression = maxWidth
  override def fourth: Expression = epsilon
  override def prettyName: String = "sliding_sum_sketch_agg"
  override protected def summed: String = "x"

  override def checkInputDataTypes(): TypeCheckResult =
    if (SketchTime.isWhole(x.dataType) || x.dataType == NullType) super.checkInputDataTypes()
    else NumericArgument.mismatch(x, 1, toSQLType(LongType))

  override def update(buffer: SlidingSketch, input: InternalRow): SlidingSketch = {
    val at = ts.eval(input)
    val number = x.eval(input)
    if (at == null || number == null) buffer
    else {
      val value = number.asInstanceOf[Number].longValue
      if (value < 0 || value > SlidingSumSketch.MaxValue)
        throw new InvalidArgument(prettyName, "x", value.toString, s"from 0 to ${SlidingSumSketch.MaxValue}")
      insert(buffer, at, value)
    }
  }

  override def withNewMutableAggBufferOffset(offset: Int): SlidingSumSketch =
    copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): SlidingSumSketch =
    copy(inputAggBufferOffset = offset)
  override protected def withNewChildrenInternal(
      t: Expression,
      v: Expression,
      w: Expression,
      e: Expression
  ): SlidingSumSketch = copy(ts = t, x = v, maxWidth = w, epsilon = e)
}

private object SlidingSumSketch {
  val MaxValue: Long = 1L << 53
}

@ExpressionDescription(
  usage = "_FUNC_(sketch) - Returns the sketch of all rows of the sketches.",
  arguments = """
    Arguments:
      * sketch - a result of `sliding_count_sketch_agg`, `sliding_sum_sketch_agg` or this function; all with the same `max_width`
          and `epsilon`. Nulls are skipped; without other values, the result is null.
  """,
  examples = """
    Examples:
      > SELECT sliding_sketch_estimate(_FUNC_(s), 12, 5) FROM (SELECT hour, sliding_count_sketch_agg(ts, 20, 0.05) AS s FROM VALUES (1, 3), (1, 8), (2, 12), (2, 9) AS t(hour, ts) GROUP BY hour);
       3.0
  """,
  note = """
    Merging adds no error, in any order and any number of times. A sketch does not record whether it counts or sums, nor the
    type of its times: do not mix them.
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class SlidingSketchUnion(child: Expression, mutableAggBufferOffset: Int, inputAggBufferOffset: Int)
    extends SlidingSketchAggregate
    with UnaryLike[Expression] {
  def this(child: Expression) = this(child, 0, 0)

  override def prettyName: String = "sliding_sketch_union_agg"
  override protected def summed: String = "sketch"

  override def checkInputDataTypes(): TypeCheckResult = child.dataType match {
    case BinaryType | NullType => TypeCheckSuccess
    case _                     => NumericArgument.mismatch(child, 0, toSQLType(BinaryType))
  }

  override def update(buffer: SlidingSketch, input: InternalRow): SlidingSketch = {
    val bytes = child.eval(input).asInstanceOf[Array[Byte]]
    if (bytes != null) buffer.merge(prettyName, summed, SlidingSketch.read(prettyName, bytes))
    buffer
  }

  override def withNewMutableAggBufferOffset(offset: Int): SlidingSketchUnion =
    copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): SlidingSketchUnion =
    copy(inputAggBufferOffset = offset)
  override protected def withNewChildInternal(newChild: Expression): SlidingSketchUnion =
    copy(child = newChild)
}
