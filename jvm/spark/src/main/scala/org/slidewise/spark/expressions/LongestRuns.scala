package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLType
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._

/**
 * The longest run of increasing or decreasing values. The buffer holds its first, its last and its longest run; a merge joins the
 * older buffer's last run with the newer buffer's first, if it continues it. Associative, not commutative. O(1) time and space a
 * row.
 *
 * @see
 *   Dani, Getta, "Incremental computation of aggregate operators over sliding windows", section 8.2
 */
abstract class LongestRun(increasing: Boolean)
    extends ImperativeAggregate
    with FixedSizeBuffer
    with OrderDependent
    with Serializable {
  import LongestRun._

  def x: Expression
  def strict: Option[Expression]

  private def strictArgument = strict.map(ConstantArgument("strict", _))
  private lazy val isStrict = strictArgument.forall(_.value == true)

  override def children: Seq[Expression] = x +: strict.toSeq
  override def rowArguments: Int = 1
  override def nullable: Boolean = true

  /** Omits optional arguments that were not given. */
  override protected def stringArgs: Iterator[Any] = children.iterator

  override def checkInputDataTypes(): TypeCheckResult =
    ConstantArgument.first(
      () => TypeUtils.checkForOrderingExpr(x.dataType, prettyName),
      () => strictArgument.fold[TypeCheckResult](TypeCheckSuccess)(_.isGiven),
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

  final override lazy val aggBufferAttributes: Seq[AttributeReference] =
    Seq.tabulate(Fields) { i =>
      if (i < Numbers) AttributeReference(s"number$i", LongType, nullable = false)()
      else AttributeReference(s"value$i", x.dataType)()
    }

  final override lazy val inputAggBufferAttributes: Seq[AttributeReference] =
    aggBufferAttributes.map(_.newInstance())

  override def aggBufferSchema: StructType =
    StructType(aggBufferAttributes.map(a => StructField(a.name, a.dataType, a.nullable)))

  @transient private lazy val ordering = TypeUtils.getInterpretedOrdering(x.dataType)
  @transient private lazy val read = InternalRow.getAccessor(x.dataType)
  @transient private lazy val write =
    Array.tabulate(Fields)(i => InternalRow.getWriter(mutableAggBufferOffset + i, x.dataType))

  /** The buffer of a single row: a run of one value. */
  @transient private lazy val lifted = new GenericInternalRow(Array.fill[Any](Fields)(1L))

  override def initialize(state: InternalRow): Unit =
    (0 until Fields).foreach { i =>
      if (i < Numbers) state.setLong(mutableAggBufferOffset + i, 0L)
      else state.setNullAt(mutableAggBufferOffset + i)
    }

  /** A null is skipped, but its row counts for positions. */
  override def update(state: InternalRow, input: InternalRow): Unit = x.eval(input) match {
    case null  => add(state, Rows, 1L)
    case value =>
      val kept = InternalRow.copyValue(value)
      (Numbers until Fields).foreach(lifted.update(_, kept))
      append(state, lifted, 0)
  }

  override def merge(state: InternalRow, newer: InternalRow): Unit =
    append(state, newer, inputAggBufferOffset)

  private def append(older: InternalRow, newer: InternalRow, at: Int): Unit = {
    val rows = number(older, Rows)
    val values = number(older, Values)
    if (newer.getLong(at + Values) > 0) {
      if (values > 0 && continues(older, newer, at)) join(older, newer, at, rows, values)
      else {
        if (values == 0) takeFirst(older, newer, at, rows)
        takeLast(older, newer, at, rows)
        takeLongest(older, newer, at, rows)
      }
      add(older, Values, newer.getLong(at + Values))
    }
    add(older, Rows, newer.getLong(at + Rows))
  }

  private def continues(older: InternalRow, newer: InternalRow, at: Int): Boolean = {
    val step =
      ordering.compare(read(newer, at + FirstStart), read(older, mutableAggBufferOffset + LastEnd))
    if (step == 0) !isStrict else step > 0 == increasing
  }

  /** Joins the last run with the first of `newer`. Of equally long runs the oldest remains the longest. */
  private def join(older: InternalRow, newer: InternalRow, at: Int, rows: Long, values: Long): Unit = {
    val length = number(older, LastLength) + newer.getLong(at + FirstLength)
    if (length > number(older, LongestLength) && length >= newer.getLong(at + LongestLength)) {
      put(older, LongestLength, length)
      put(older, LongestFrom, number(older, LastFrom))
      put(older, LongestTo, rows + newer.getLong(at + FirstTo))
      take(older, LongestStart, older, mutableAggBufferOffset + LastStart)
      take(older, LongestEnd, newer, at + FirstEnd)
    } else takeLongest(older, newer, at, rows)
    if (number(older, FirstLength) == values) {
      put(older, FirstLength, length)
      put(older, FirstTo, rows + newer.getLong(at + FirstTo))
      take(older, FirstEnd, newer, at + FirstEnd)
    }
    if (newer.getLong(at + LastLength) == newer.getLong(at + Values)) {
      put(older, LastLength, length)
      take(older, LastEnd, newer, at + LastEnd)
    } else takeLast(older, newer, at, rows)
  }

  private def takeFirst(older: InternalRow, newer: InternalRow, at: Int, rows: Long): Unit = {
    put(older, FirstLength, newer.getLong(at + FirstLength))
    put(older, FirstTo, rows + newer.getLong(at + FirstTo))
    take(older, FirstStart, newer, at + FirstStart)
    take(older, FirstEnd, newer, at + FirstEnd)
  }

  private def takeLast(older: InternalRow, newer: InternalRow, at: Int, rows: Long): Unit = {
    put(older, LastLength, newer.getLong(at + LastLength))
    put(older, LastFrom, rows + newer.getLong(at + LastFrom))
    take(older, LastStart, newer, at + LastStart)
    take(older, LastEnd, newer, at + LastEnd)
  }

  private def takeLongest(older: InternalRow, newer: InternalRow, at: Int, rows: Long): Unit = {
    val length = newer.getLong(at + LongestLength)
    if (length > number(older, LongestLength)) {
      put(older, LongestLength, length)
      put(older, LongestFrom, rows + newer.getLong(at + LongestFrom))
      put(older, LongestTo, rows + newer.getLong(at + LongestTo))
      take(older, LongestStart, newer, at + LongestStart)
      take(older, LongestEnd, newer, at + LongestEnd)
    }
  }

  private def number(state: InternalRow, field: Int): Long = state.getLong(mutableAggBufferOffset + field)
  private def put(state: InternalRow, field: Int, n: Long): Unit =
    state.setLong(mutableAggBufferOffset + field, n)
  private def add(state: InternalRow, field: Int, n: Long): Unit = put(state, field, number(state, field) + n)

  private def take(state: InternalRow, field: Int, from: InternalRow, at: Int): Unit =
    write(field)(state, read(from, at))

  override def eval(state: InternalRow): Any =
    if (number(state, Values) == 0) null
    else
      InternalRow(
        number(state, LongestLength),
        number(state, LongestFrom),
        number(state, LongestTo),
        read(state, mutableAggBufferOffset + LongestStart),
        read(state, mutableAggBufferOffset + LongestEnd)
      )
}

/** The fields of the buffer: first the numbers, then the values. */
private object LongestRun {
  final val Rows = 0
  final val Values = 1
  final val FirstLength = 2
  final val FirstTo = 3
  final val LastLength = 4
  final val LastFrom = 5
  final val LongestLength = 6
  final val LongestFrom = 7
  final val LongestTo = 8
  final val Numbers = 9
  final val FirstStart = 9
  final val FirstEnd = 10
  final val LastStart = 11
  final val LastEnd = 12
  final val LongestStart = 13
  final val LongestEnd = 14
  final val Fields = 15

  final val Arguments = """
    Arguments:
      * x - any orderable type. Nulls are skipped, and do not end a run.
      * strict - true, the default, if equal values end a run; false if they continue it.
  """

  final val Note = """
    The result has the length of the run, the positions of its first and last row, counted from 1 in the frame, and the values
    of these rows; it is null without values. Of equally long runs, the first is returned. The result depends on the order of
    the rows: use OVER (... ORDER BY ...) or WITHIN GROUP (ORDER BY ...).
  """
}

@ExpressionDescription(
  usage =
    "_FUNC_(x[, strict]) - Returns the longest run of rows in which each value of `x` is greater than the one before it.",
  arguments = LongestRun.Arguments,
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
  note = LongestRun.Note,
  group = "agg_funcs",
  since = "0.2.0"
)
case class LongestIncreasingRun(
    x: Expression,
    strict: Option[Expression],
    mutableAggBufferOffset: Int,
    inputAggBufferOffset: Int
) extends LongestRun(increasing = true) {
  def this(x: Expression) = this(x, None, 0, 0)
  def this(x: Expression, strict: Expression) = this(x, Some(strict), 0, 0)
  override def withNewMutableAggBufferOffset(offset: Int): LongestIncreasingRun =
    copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): LongestIncreasingRun =
    copy(inputAggBufferOffset = offset)
  override def prettyName: String = "longest_increasing_run"

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): LongestIncreasingRun =
    copy(x = c(0), strict = c.lift(1))
}

@ExpressionDescription(
  usage =
    "_FUNC_(x[, strict]) - Returns the longest run of rows in which each value of `x` is less than the one before it.",
  arguments = LongestRun.Arguments,
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
  note = LongestRun.Note,
  group = "agg_funcs",
  since = "0.2.0"
)
case class LongestDecreasingRun(
    x: Expression,
    strict: Option[Expression],
    mutableAggBufferOffset: Int,
    inputAggBufferOffset: Int
) extends LongestRun(increasing = false) {
  def this(x: Expression) = this(x, None, 0, 0)
  def this(x: Expression, strict: Expression) = this(x, Some(strict), 0, 0)
  override def withNewMutableAggBufferOffset(offset: Int): LongestDecreasingRun =
    copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): LongestDecreasingRun =
    copy(inputAggBufferOffset = offset)
  override def prettyName: String = "longest_decreasing_run"

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): LongestDecreasingRun =
    copy(x = c(0), strict = c.lift(1))
}
