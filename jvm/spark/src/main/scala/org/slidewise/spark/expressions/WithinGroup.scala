package org.slidewise.spark.expressions

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLId
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types.DataType

/**
 * A function of rows in order that brings its order along, for GROUP BY: `f(…) WITHIN GROUP (ORDER BY …)`.
 *
 * Partial states of a group interleave, so that a state is what the function needs of the rows, and they are put in order when
 * all are there. Rows that tie go by the function's arguments, the least first, so that the answer is the same in any
 * partitioning; where an argument's type has no order, rows that differ only in it are in any order. A row of nothing but nulls
 * is left out: that is what PIVOT makes of the rows of other columns.
 *
 * '''Cost.''' Memory for the n rows of a group, as Spark's `listagg(…) WITHIN GROUP` and `collect_list` need; O(n log n) time.
 */
final case class WithinGroup(
    function: AggregateFunction with OrderDependent,
    order: Seq[SortOrder],
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[ArrayBuffer[UnsafeRow]]
    with ImplicitCastInputTypes {

  // Not the SortOrders themselves, as where PIVOT or several DISTINCTs put other expressions in the place of arguments.
  override def children: Seq[Expression] = function.children ++ order.map(_.child)
  override def dataType: DataType = function.dataType
  override def nullable: Boolean = function.nullable
  override def prettyName: String = function.prettyName
  override def checkInputDataTypes(): TypeCheckResult = function.checkInputDataTypes()

  /** Those of the function, if it has any; what is of no fixed type stays as it is. */
  override def inputTypes = (function match {
    case typed: ExpectsInputTypes => typed.inputTypes
    case other                    => other.children.map(_.dataType)
  }) ++ order.map(_.dataType)

  override def toAggregateExpression(isDistinct: Boolean, filter: Option[Expression]): AggregateExpression =
    if (isDistinct)
      throw new AnalysisException(
        "INVALID_WITHIN_GROUP_EXPRESSION.DISTINCT_UNSUPPORTED",
        Map("funcName" -> toSQLId(prettyName))
      )
    else super.toAggregateExpression(isDistinct, filter)

  private def ordered(call: String) = s"$call WITHIN GROUP (ORDER BY ${order.map(_.sql).mkString(", ")})"
  override def sql(isDistinct: Boolean): String = ordered(function.sql(isDistinct))
  override def toAggString(isDistinct: Boolean): String = ordered(function.toAggString(isDistinct))

  /** What is kept of a row: what it is ordered by, and the function's arguments. */
  private def kept = order.map(_.child) ++ function.children.take(function.rowArguments)

  @transient private lazy val keep = UnsafeProjection.create(kept)

  @transient private lazy val attributes = kept.zipWithIndex.map { case (e, i) =>
    AttributeReference(s"kept$i", e.dataType)()
  }

  @transient private lazy val inOrder: Ordering[InternalRow] = {
    val (keys, arguments) = attributes.splitAt(order.size)
    val ties = arguments.filter(a => RowOrdering.isOrderable(a.dataType)).map(SortOrder(_, Ascending))
    RowOrdering.create(order.zip(keys).map { case (by, key) => by.copy(child = key) } ++ ties, attributes)
  }

  /** The function of rows that come in order. */
  @transient private lazy val answer: Iterable[InternalRow] => Any = {
    val constants = function.children.drop(function.rowArguments)
    function.withNewChildren(attributes.drop(order.size) ++ constants) match {
      case declarative: DeclarativeAggregate => answer(declarative)
      case imperative: ImperativeAggregate   => answer(imperative)
      case other => throw new IllegalStateException(s"$prettyName, a ${other.getClass}, cannot be ordered")
    }
  }

  private def answer(of: DeclarativeAggregate): Iterable[InternalRow] => Any = {
    val state = new GenericInternalRow(of.aggBufferAttributes.size)
    val clear = MutableProjection.create(of.initialValues, Nil).target(state)
    val update =
      MutableProjection.create(of.updateExpressions, of.aggBufferAttributes ++ attributes).target(state)
    val evaluate = MutableProjection.create(Seq(of.evaluateExpression), of.aggBufferAttributes)
    val joined = new JoinedRow
    rows => {
      clear(EmptyRow)
      rows.foreach(row => update(joined(state, row)))
      evaluate(state).get(0, dataType)
    }
  }

  private def answer(of: ImperativeAggregate): Iterable[InternalRow] => Any = {
    val bound = BindReferences.bindReference(of, attributes)
    val state = new GenericInternalRow(of.aggBufferAttributes.size)
    rows => {
      bound.initialize(state)
      rows.foreach(bound.update(state, _))
      bound.eval(state)
    }
  }

  override def createAggregationBuffer(): ArrayBuffer[UnsafeRow] = ArrayBuffer.empty

  override def update(rows: ArrayBuffer[UnsafeRow], input: InternalRow): ArrayBuffer[UnsafeRow] = {
    val row = keep(input)
    if (!(0 until row.numFields).forall(row.isNullAt)) rows += row.copy()
    rows
  }

  override def merge(rows: ArrayBuffer[UnsafeRow], others: ArrayBuffer[UnsafeRow]): ArrayBuffer[UnsafeRow] =
    rows ++= others

  override def eval(rows: ArrayBuffer[UnsafeRow]): Any = answer(rows.sorted(inOrder))

  override def serialize(rows: ArrayBuffer[UnsafeRow]): Array[Byte] = StoredRows.write(rows)
  override def deserialize(bytes: Array[Byte]): ArrayBuffer[UnsafeRow] =
    StoredRows.read(bytes, attributes.size)

  override def withNewMutableAggBufferOffset(offset: Int): WithinGroup = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): WithinGroup = copy(inputAggBufferOffset = offset)

  /** PIVOT makes every child null outside of its column; constants stay constants. */
  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): WithinGroup = {
    val (arguments, keys) = c.splitAt(function.children.size)
    val (ofRow, constants) = arguments.splitAt(function.rowArguments)
    val called = function.withNewChildren(ofRow ++ constants.map(ConstantArgument.outsideOfPivot))
    copy(
      function = called.asInstanceOf[AggregateFunction with OrderDependent],
      order = order.zip(keys).map { case (by, key) => by.copy(child = key) }
    )
  }
}
