package org.slidewise.spark.execution.surroundings

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SpecificInternalRow, UnsafeRow}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, TypedImperativeAggregate}
import org.apache.spark.sql.types.ObjectType

import org.slidewise.spark.execution.states.StateTypes

/**
 * Converts rows of states to bytes and back.
 *
 * States of fixed width are the bytes of an unsafe row. Others are serialized field by field: an unsafe row would cut off decimals
 * that have more digits than their type. The functions serialize objects themselves.
 */
final private[surroundings] class StateCodec(functions: Seq[AggregateFunction]) {

  /** The fields of a row of states. */
  val attributes: Seq[Attribute] = functions.flatMap(_.aggBufferAttributes)

  private[this] val types = attributes.map(_.dataType)
  private[this] val fixedWidth = types.forall(StateTypes.isFixedWidth)

  /** For each field, the function whose object it holds; null for other values. */
  private[this] val typed: Array[TypedImperativeAggregate[AnyRef]] = functions.flatMap {
    case f: TypedImperativeAggregate[_] => Seq(f.asInstanceOf[TypedImperativeAggregate[AnyRef]])
    case f                              => f.aggBufferAttributes.map(_ => null)
  }.toArray

  private val objectType = ObjectType(classOf[AnyRef])

  /** Leaves the state unchanged. */
  def encode(state: InternalRow): Array[Byte] = state match {
    case row: UnsafeRow => row.copy().getBytes
    case _              =>
      val values = typed.indices.map { i =>
        if (state.isNullAt(i)) null
        else if (typed(i) == null) InternalRow.copyValue(state.get(i, types(i))).asInstanceOf[AnyRef]
        else typed(i).serialize(state.get(i, objectType))
      }
      val bytes = new ByteArrayOutputStream
      val out = new ObjectOutputStream(bytes)
      out.writeObject(values.toArray[AnyRef])
      out.close()
      bytes.toByteArray
  }

  /** A new row. */
  def decode(bytes: Array[Byte]): InternalRow =
    if (fixedWidth) {
      val row = new UnsafeRow(types.size)
      row.pointTo(bytes.clone(), bytes.length)
      row
    } else {
      val values =
        new ObjectInputStream(new ByteArrayInputStream(bytes)).readObject().asInstanceOf[Array[AnyRef]]
      val row = new SpecificInternalRow(types)
      values.indices.foreach { i =>
        if (values(i) == null) row.setNullAt(i)
        else if (typed(i) == null) row.update(i, values(i))
        else row.update(i, typed(i).deserialize(values(i).asInstanceOf[Array[Byte]]))
      }
      row
    }
}
