package org.slidewise.spark.execution.states

import java.math.BigInteger
import java.nio.ByteBuffer

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.expressions.RowStructure
import org.slidewise.spark.plan.{FunctionDescription, StateTypes}

/**
 * Encodes rows of aggregation buffers. If every field has a fixed width, the bytes are those of the `UnsafeRow`. Otherwise
 * functions serialize their objects, and wide decimals keep all digits, even more than their type allows (see [[StateTypes]]).
 *
 * Damaged bytes raise [[CorruptState]], or are decoded to another state. Not safe for concurrent use.
 */
final private[execution] class StateCodec(functions: Seq[FunctionDescription]) {
  import StateCodec._

  /** The fields of a row of states. */
  val attributes: Seq[Attribute] = functions.flatMap(_.aggregate.aggBufferAttributes)

  private[this] val types = attributes.map(_.dataType)
  private[this] val fixedWidth = types.forall(StateTypes.isFixedWidth)

  private[this] val fields: Array[Field] = functions.flatMap { description =>
    description.aggregate match {
      case typed: TypedImperativeAggregate[_] => Seq(new ObjectField(typed, !description.mayHaveNullState))
      case other                              =>
        other.aggBufferAttributes.map(_.dataType match {
          case decimal: DecimalType if StateTypes.isWide(decimal) => new WideDecimal(decimal)
          case plain                                              => new Plain(plain)
        })
    }
  }.toArray

  private[this] val storedTypes = fields.map(_.stored)
  private[this] val structure = new RowStructure(storedTypes.toSeq, fields.toSeq.map(_.isRequired))
  private[this] lazy val project = UnsafeProjection.create(storedTypes)
  private[this] val kept = new GenericInternalRow(fields.length)
  private[this] val read = new UnsafeRow(fields.length)

  /** The bytes of a state. The array may be shared with the state. */
  def toBytes(state: InternalRow): Array[Byte] =
    if (fixedWidth) state.asInstanceOf[UnsafeRow].getBytes
    else {
      var i = 0
      while (i < fields.length) {
        kept.update(i, if (state.isNullAt(i)) null else fields(i).toStored(state, i))
        i += 1
      }
      project(kept).getBytes
    }

  /** Decodes a state, which may point into `bytes`. */
  def fromBytes(bytes: Array[Byte]): InternalRow =
    if (fixedWidth) {
      val row = new UnsafeRow(fields.length)
      row.pointTo(bytes, bytes.length)
      structure.check(row)
    } else {
      read.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET, bytes.length)
      structure.check(read)
      val state = new SpecificInternalRow(types)
      var i = 0
      while (i < fields.length) {
        if (read.isNullAt(i)) state.setNullAt(i) else state.update(i, fields(i).fromStored(read, i))
        i += 1
      }
      state
    }
}

private[execution] object StateCodec {

  abstract private class Field {
    def stored: DataType

    /** Whether the field is never null. */
    def isRequired: Boolean = false
    def toStored(state: InternalRow, at: Int): Any
    def fromStored(row: InternalRow, at: Int): Any
  }

  final private class Plain(dataType: DataType) extends Field {
    def stored: DataType = dataType
    def toStored(state: InternalRow, at: Int): Any = state.get(at, dataType)
    def fromStored(row: InternalRow, at: Int): Any = InternalRow.copyValue(row.get(at, dataType))
  }

  final private class WideDecimal(dataType: DecimalType) extends Field {
    import WideDecimal._

    def stored: DataType = BinaryType

    def toStored(state: InternalRow, at: Int): Any = {
      val value = state.getDecimal(at, dataType.precision, dataType.scale).toJavaBigDecimal
      val digits = value.unscaledValue.toByteArray
      ByteBuffer.allocate(4 + digits.length).putInt(value.scale).put(digits).array
    }

    def fromStored(row: InternalRow, at: Int): Any = {
      val bytes = row.getBinary(at)
      if (bytes.length < 5 || bytes.length > MostBytes)
        throw new CorruptState(s"a decimal has ${bytes.length} bytes")
      val digits = new BigInteger(java.util.Arrays.copyOfRange(bytes, 4, bytes.length))
      val scale = ByteBuffer.wrap(bytes).getInt()
      if (scale < -MostScale || scale > MostScale) throw new CorruptState(s"a decimal has the scale $scale")
      Decimal(new java.math.BigDecimal(digits, scale))
    }
  }

  private object WideDecimal {

    // A sum has a few digits more than its type. Larger scales make arithmetic costly.
    private val MostBytes = 256
    private val MostScale = 1000
  }

  final private class ObjectField[T](function: TypedImperativeAggregate[T], override val isRequired: Boolean)
      extends Field {
    def stored: DataType = BinaryType
    def toStored(state: InternalRow, at: Int): Any =
      function.serialize(state.get(at, ObjectType(classOf[AnyRef])).asInstanceOf[T])
    def fromStored(row: InternalRow, at: Int): Any =
      try function.deserialize(row.getBinary(at))
      catch {
        case NonFatal(e) => throw new CorruptState(s"${function.prettyName} cannot read its state ($e)")
      }
  }
}
