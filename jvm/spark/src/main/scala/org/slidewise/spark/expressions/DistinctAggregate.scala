package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types.DataType

/**
 * `function(DISTINCT …)` over a window, where Spark has no DISTINCT.
 *
 * The buffer is the set of the distinct tuples of arguments, and `function` runs over them in the order in which they came first.
 * Tuples are equal if `GROUP BY` puts them into one group: NaN equals NaN, -0.0 equals 0.0, strings are compared by their
 * collation, and nulls are values. `function` decides what a tuple with nulls contributes. As in `GROUP BY`, the function sees 0.0
 * for -0.0, and the first of several strings that are equal by a collation.
 *
 * '''Cost.''' Constant time for a row, one evaluation of `function` over d tuples for a result, and memory for d tuples, where d is
 * the number of distinct tuples of the frame. A result of `count` takes constant time.
 *
 * @param function
 *   a declarative or imperative aggregate, or one that the optimizer replaces by such an aggregate
 */
final case class DistinctAggregate(
    function: AggregateFunction,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[DistinctRows]
    with NonMutatingMerge {

  /** The function and not its arguments: the optimizer replaces it, and simplifies the arguments. */
  override def children: Seq[Expression] = Seq(function)
  override def dataType: DataType = function.dataType
  override def nullable: Boolean = function.nullable
  override def defaultResult: Option[Literal] = function.defaultResult
  override def prettyName: String = function.prettyName
  override def sql: String = sql(isDistinct = true)
  override def sql(isDistinct: Boolean): String = function.sql(isDistinct = true)
  override def toAggString(isDistinct: Boolean): String = function.toAggString(isDistinct = true)
  override def toString: String = toAggString(isDistinct = true)

  /** The arguments that vary, which make up a tuple: each once. */
  def arguments: Seq[Expression] =
    ExpressionSet(function.children.map(argumentOf).filterNot(_.foldable)).toSeq

  /** `listagg` has the sort orders of WITHIN GROUP among its children. */
  private def argumentOf(child: Expression): Expression = child match {
    case order: SortOrder => order.child
    case other            => other
  }

  @transient private lazy val attributes = arguments.zipWithIndex.map { case (argument, i) =>
    AttributeReference(s"argument$i", argument.dataType, argument.nullable)()
  }

  /** The values of a tuple, with one representation for numbers that are equal. */
  def tuple: Seq[Expression] = arguments.map(GroupingKeys.normalized(_))

  @transient private lazy val tupleOf = UnsafeProjection.create(tuple)

  @transient private lazy val rows = DistinctRows.of(attributes)

  @transient private lazy val answer = newEvaluator()

  /** Whether the result is the number of the tuples without nulls, which alone are kept then. */
  @transient private lazy val counts = function match {
    case Count(values) => values.forall(!_.foldable)
    case _             => false
  }

  /** Evaluates the function over distinct tuples. Each evaluator has an aggregation buffer of its own. */
  def newEvaluator(): Iterable[InternalRow] => Any = {
    val ofTuple = arguments.map(_.canonicalized).zip(attributes).toMap
    val overTuples = function.withNewChildren(function.children.map {
      case constant if argumentOf(constant).foldable => constant
      case order: SortOrder                          =>
        order.copy(child = ofTuple(order.child.canonicalized), sameOrderExpressions = Nil)
      case argument => ofTuple(argument.canonicalized)
    })
    new FunctionOverRows(overTuples.asInstanceOf[AggregateFunction], attributes)
  }

  override def createAggregationBuffer(): DistinctRows = rows.empty

  override def update(buffer: DistinctRows, input: InternalRow): DistinctRows = {
    val tuple = tupleOf(input)
    if (!counts || !tuple.anyNull) buffer.add(tuple)
    buffer
  }

  override def merge(buffer: DistinctRows, newer: DistinctRows): DistinctRows = {
    newer.foreach(buffer.add)
    buffer
  }

  override def eval(buffer: DistinctRows): Any = if (counts) buffer.size.toLong else answer(buffer)

  override def serialize(buffer: DistinctRows): Array[Byte] =
    SerializedRows.write(buffer, s"Use a shorter frame for ${sql(isDistinct = true)}.")

  override def deserialize(bytes: Array[Byte]): DistinctRows = {
    val buffer = rows.empty
    SerializedRows.read(bytes, attributes.map(_.dataType)).foreach(buffer.add)
    buffer
  }

  override def withNewMutableAggBufferOffset(offset: Int): DistinctAggregate =
    copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): DistinctAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(children: IndexedSeq[Expression]): DistinctAggregate =
    copy(function = children.head.asInstanceOf[AggregateFunction])
}
