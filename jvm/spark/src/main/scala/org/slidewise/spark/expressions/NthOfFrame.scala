package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.types.DataType

/**
 * `nth_value`, and `lag` and `lead` with IGNORE NULLS, as an aggregate whose buffers can be merged. The buffer holds the first `n`
 * values of the frame, or the last `n`.
 *
 * '''Cost.''' Constant time for a row and a result, O(n) for a merge, and memory for `n` values.
 *
 * @param n
 *   the number of the value that is the result, from 1 on; the result is null if the frame has fewer values
 * @param fromEnd
 *   whether values are counted from the last one back
 * @param ignoreNulls
 *   whether nulls are skipped
 */
final case class NthOfFrame(
    child: Expression,
    n: Int,
    fromEnd: Boolean,
    ignoreNulls: Boolean,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[NthValueBuffer]
    with NonMutatingMerge
    with OrderDependent
    with UnaryLike[Expression] {

  override def dataType: DataType = child.dataType
  override def nullable: Boolean = true
  override def prettyName: String = "nth_value"

  /** The call in the words of the SQL standard. A checkpoint identifies the function by this text. */
  override def sql(isDistinct: Boolean): String =
    s"$prettyName(${child.sql}, $n)" + (if (fromEnd) " FROM LAST" else "") +
      (if (ignoreNulls) " IGNORE NULLS" else "")
  override def rowArguments: Int = 1

  override def createAggregationBuffer(): NthValueBuffer = new NthValueBuffer(n, fromEnd)

  override def update(buffer: NthValueBuffer, input: InternalRow): NthValueBuffer = {
    if (buffer.accepts) {
      val value = child.eval(input)
      if (value != null || !ignoreNulls) buffer.add(InternalRow.copyValue(value))
    }
    buffer
  }

  override def merge(buffer: NthValueBuffer, newer: NthValueBuffer): NthValueBuffer = {
    buffer.addAll(newer)
    buffer
  }

  override def eval(buffer: NthValueBuffer): Any =
    if (buffer.size < n) null else buffer(if (fromEnd) 0 else n - 1)

  @transient private lazy val stored = new StoredArray(prettyName, dataType, containsNull = !ignoreNulls, n)

  override def serialize(buffer: NthValueBuffer): Array[Byte] = stored.write(buffer.toArray)

  override def deserialize(bytes: Array[Byte]): NthValueBuffer = {
    val buffer = createAggregationBuffer()
    stored.read(bytes)(buffer.add)
    buffer
  }

  override def withNewMutableAggBufferOffset(offset: Int): NthOfFrame = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): NthOfFrame = copy(inputAggBufferOffset = offset)
  override protected def withNewChildInternal(newChild: Expression): NthOfFrame = copy(child = newChild)
}

object NthOfFrame {

  /** The greatest `n` for which buffers are kept and merged. */
  val MostValues = 1000
}
