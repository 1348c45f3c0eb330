package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.trees.{BinaryLike, TernaryLike}
import org.apache.spark.sql.catalyst.util.{GenericArrayData, TypeUtils}
import org.apache.spark.sql.types._

/**
 * The first `k` values of a frame in descending or ascending order, in a [[TopKBuffer]]: O(log k) comparisons a row, O(k) a merge.
 *
 * @see
 *   Dani, Getta, "Incremental computation of aggregate operators over sliding windows"
 */
abstract class TopKAggregate(largest: Boolean)
    extends TypedImperativeAggregate[TopKBuffer]
    with NonMutatingMerge
    with Serializable {

  /** The expression by which rows are ranked. */
  protected def compared: Expression

  /** The expression whose values are returned, if it is another one. */
  protected def returned: Option[Expression] = None

  protected def k: Expression

  private lazy val limit = ConstantArgument("k", k)
  private lazy val capacity = limit.value.asInstanceOf[Number].intValue
  @transient private lazy val ordering = TypeUtils.getInterpretedOrdering(compared.dataType)

  private lazy val elementType: DataType = returned.fold(compared.dataType)(value =>
    new StructType().add("compared", compared.dataType).add("returned", value.dataType)
  )

  override def nullable: Boolean = true

  override def dataType: DataType =
    ArrayType(returned.getOrElse(compared).dataType, containsNull = returned.exists(_.nullable))

  override def checkInputDataTypes(): TypeCheckResult =
    ConstantArgument.first(
      () => TypeUtils.checkForOrderingExpr(compared.dataType, prettyName),
      () => limit.wholeUpTo(TopKAggregate.MaxK, children.indexOf(k))
    )

  private def key(element: Any): Any =
    if (returned.isEmpty) element else element.asInstanceOf[InternalRow].get(0, compared.dataType)

  @transient private lazy val precedes: (Any, Any) => Boolean =
    if (largest) (a, b) => ordering.gt(key(a), key(b)) else (a, b) => ordering.lt(key(a), key(b))

  override def createAggregationBuffer(): TopKBuffer = new TopKBuffer(capacity, precedes)

  override def update(buffer: TopKBuffer, input: InternalRow): TopKBuffer = {
    val value = compared.eval(input)
    if (value != null) {
      val element = returned.fold[Any](value)(e => InternalRow(value, e.eval(input)))
      if (buffer.accepts(element)) buffer.add(InternalRow.copyValue(element))
    }
    buffer
  }

  override def merge(buffer: TopKBuffer, newer: TopKBuffer): TopKBuffer = {
    buffer.addAll(newer)
    buffer
  }

  override def eval(buffer: TopKBuffer): Any =
    if (buffer.size == 0) null
    else
      new GenericArrayData(
        returned.fold(buffer.toArray)(value =>
          buffer.toArray.map(_.asInstanceOf[InternalRow].get(1, value.dataType))
        )
      )

  @transient private lazy val stored =
    new StoredArray(prettyName, elementType, containsNull = false, capacity)

  override def serialize(buffer: TopKBuffer): Array[Byte] = stored.write(buffer.toArray)

  override def deserialize(bytes: Array[Byte]): TopKBuffer = {
    val buffer = createAggregationBuffer()
    stored.read(bytes)(buffer.append)
    buffer
  }
}

object TopKAggregate {

  /** The limit of Spark's `max_by(x, y, k)`. */
  val MaxK = 100000

  final val Arguments = """
    Arguments:
      * x - any orderable type. Nulls are skipped; without other values, the result is null.
      * k - the maximum number of values: a constant from 1 to 100000.
  """
}

@ExpressionDescription(
  usage = "_FUNC_(x, k) - Returns the `k` greatest values of `x` in descending order.",
  arguments = TopKAggregate.Arguments,
  examples = """
    Examples:
      > SELECT _FUNC_(x, 2) FROM VALUES (4), (7), (NULL), (7), (1) AS t(x);
       [7,7]
      > SELECT i, _FUNC_(x, 2) OVER (ORDER BY i ROWS 2 PRECEDING) FROM VALUES (1, 'c'), (2, 'a'), (3, 'b'), (4, 'b') AS t(i, x);
       1	["c"]
       2	["c","a"]
       3	["c","b"]
       4	["b","b"]
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class TopK(left: Expression, right: Expression, mutableAggBufferOffset: Int, inputAggBufferOffset: Int)
    extends TopKAggregate(largest = true)
    with BinaryLike[Expression] {
  def this(x: Expression, k: Expression) = this(x, k, 0, 0)
  override def prettyName: String = "top_k"
  override protected def compared: Expression = left
  override protected def k: Expression = right
  override def withNewMutableAggBufferOffset(offset: Int): TopK = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): TopK = copy(inputAggBufferOffset = offset)
  override protected def withNewChildrenInternal(x: Expression, k: Expression): TopK =
    copy(left = x, right = k)
}

@ExpressionDescription(
  usage = "_FUNC_(x, k) - Returns the `k` least values of `x` in ascending order.",
  arguments = TopKAggregate.Arguments,
  examples = """
    Examples:
      > SELECT _FUNC_(x, 2) FROM VALUES (4), (7), (NULL), (4), (1) AS t(x);
       [1,4]
      > SELECT i, _FUNC_(x, 2) OVER (ORDER BY i ROWS 2 PRECEDING) FROM VALUES (1, 'c'), (2, 'a'), (3, 'b'), (4, 'b') AS t(i, x);
       1	["c"]
       2	["a","c"]
       3	["a","b"]
       4	["a","b"]
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class BottomK(
    left: Expression,
    right: Expression,
    mutableAggBufferOffset: Int,
    inputAggBufferOffset: Int
) extends TopKAggregate(largest = false)
    with BinaryLike[Expression] {
  def this(x: Expression, k: Expression) = this(x, k, 0, 0)
  override def prettyName: String = "bottom_k"
  override protected def compared: Expression = left
  override protected def k: Expression = right
  override def withNewMutableAggBufferOffset(offset: Int): BottomK = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): BottomK = copy(inputAggBufferOffset = offset)
  override protected def withNewChildrenInternal(x: Expression, k: Expression): BottomK =
    copy(left = x, right = k)
}

@ExpressionDescription(
  usage =
    "_FUNC_(x, y, k) - Returns the values of `x` in the `k` rows with the greatest `y`, in descending order of `y`.",
  arguments = """
    Arguments:
      * x - any type; may be null.
      * y - any orderable type. Rows in which it is null are skipped; without other rows, the result is null.
      * k - the maximum number of rows: a constant from 1 to 100000.
  """,
  examples = """
    Examples:
      > SELECT _FUNC_(x, y, 2) FROM VALUES ('a', 1), ('b', 3), ('c', 2), ('d', NULL) AS t(x, y);
       ["b","c"]
      > SELECT i, _FUNC_(x, y, 2) OVER (ORDER BY i ROWS 2 PRECEDING) FROM VALUES (1, 'a', 5), (2, 'b', 5), (3, 'c', 9) AS t(i, x, y);
       1	["a"]
       2	["a","b"]
       3	["c","a"]
      > SELECT _FUNC_(x, y, 2) WITHIN GROUP (ORDER BY i) FROM VALUES (2, 'b', 5), (3, 'c', 9), (1, 'a', 5) AS t(i, x, y);
       ["c","a"]
  """,
  note = """
    Of rows that tie, the first in the order of the window, or of WITHIN GROUP (ORDER BY ...), ranks first; without an order,
    any of them. The function ranks single rows and does not add them up: for the products with the greatest revenue, sum the
    revenue of each product first.
  """,
  group = "agg_funcs",
  since = "0.2.0"
)
case class TopKBy(
    first: Expression,
    second: Expression,
    third: Expression,
    mutableAggBufferOffset: Int,
    inputAggBufferOffset: Int
) extends TopKAggregate(largest = true)
    with TernaryLike[Expression]
    with OrderDependent {
  def this(x: Expression, y: Expression, k: Expression) = this(x, y, k, 0, 0)

  /** Without an order, any of the rows that tie may be returned. */
  override def requiresOrder: Boolean = false
  override def rowArguments: Int = 2

  override def prettyName: String = "top_k_by"
  override protected def compared: Expression = second
  override protected def returned: Option[Expression] = Some(first)
  override protected def k: Expression = third
  override def withNewMutableAggBufferOffset(offset: Int): TopKBy = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): TopKBy = copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(x: Expression, y: Expression, k: Expression): TopKBy =
    copy(first = x, second = y, third = k)
}
