package org.slidewise.spark.expressions

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLId
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types.DataType

/**
 * Evaluates an [[OrderDependent]] function in GROUP BY over rows in the call's own order: `f(…) WITHIN GROUP (ORDER BY …)`.
 *
 * Partial aggregates of a group interleave, so the buffer holds the order keys and arguments of all rows, and sorts them at the
 * end. Ties are sorted by the function's arguments in ascending order, so that the result does not depend on the partitioning;
 * an argument whose type has no order decides no tie. Rows whose keys and arguments are all null are skipped, since PIVOT makes
 * such rows for the other columns.
 *
 * '''Cost.''' Memory for the n rows of a group, as `listagg(…) WITHIN GROUP` and `collect_list` need; O(n log n) time.
 */
final case class WithinGroup(
    function: AggregateFunction with OrderDependent,
    order: Seq[SortOrder],
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[ArrayBuffer[UnsafeRow]]
    with ImplicitCastInputTypes {

  // Not the SortOrders themselves: PIVOT and several DISTINCTs replace children by other expressions.
  override def children: Seq[Expression] = function.children ++ order.map(_.child)
  override def dataType: DataType = function.dataType
  override def nullable: Boolean = function.nullable
  override def prettyName: String = function.prettyName
  override def checkInputDataTypes(): TypeCheckResult =
    order.map(by => TypeUtils.checkForOrderingExpr(by.dataType, prettyName)).find(_.isFailure).getOrElse {
      function.checkInputDataTypes()
    }

  /** The function's input types, if it declares any; other arguments keep their types. */
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

  /** The buffered columns of a row: the order keys, then the function's arguments. */
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

  /** Evaluates the function over sorted rows. */
  @transient private lazy val answer: FunctionOverRows = {
    val constants = function.children.drop(function.rowArguments)
    val overKept = function.withNewChildren(attributes.drop(order.size) ++ constants)
    new FunctionOverRows(overKept.asInstanceOf[AggregateFunction], attributes)
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

  override def serialize(rows: ArrayBuffer[UnsafeRow]): Array[Byte] =
    SerializedRows.write(rows, "Use OVER (... ORDER BY ...), which buffers no rows.")
  override def deserialize(bytes: Array[Byte]): ArrayBuffer[UnsafeRow] =
    SerializedRows.read(bytes, attributes.map(_.dataType))

  override def withNewMutableAggBufferOffset(offset: Int): WithinGroup = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): WithinGroup = copy(inputAggBufferOffset = offset)

  /** PIVOT makes every child null outside of its column; constants must remain constants. */
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
