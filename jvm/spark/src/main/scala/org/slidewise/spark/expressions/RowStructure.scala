package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform

import org.slidewise.spark.errors.CorruptState

/**
 * Checks that stored bytes have the structure of an unsafe row: every offset, size and count of a field lies within the row, and
 * nothing is null that by its type never is. Spark reads the fields of an unsafe row without such checks, so that damaged bytes
 * would make it read other memory.
 *
 * Cost: O(1) a row if no field has a variable length, otherwise linear in the size of the row, since parts of a row may not
 * overlap. Allocates nothing. Thread-safe.
 *
 * @param isRequired
 *   whether each field is never null; checked for fields of variable length, where a null would be read as an object
 */
final private[spark] class RowStructure(types: Seq[DataType], isRequired: Seq[Boolean]) extends Serializable {
  import RowStructure._

  /** The structure of rows whose fields may all be null. */
  def this(types: Seq[DataType]) = this(types, types.map(_ => false))

  /** The number of fields of a row. */
  val fields: Int = types.size

  private[this] val fixed = UnsafeRow.calculateBitSetWidthInBytes(fields) + 8 * fields
  private[this] val variable = types.indices.filterNot(i => UnsafeRow.isFixedLength(types(i))).toArray
  private[this] val parts = variable.map(i => partOf(types(i)))
  private[this] val required = variable.map(isRequired)

  /** Fails with [[CorruptState]] unless the row has this structure. */
  def check(row: UnsafeRow): UnsafeRow = {
    if (!matches(row.getBaseObject, row.getBaseOffset, row.getSizeInBytes))
      throw new CorruptState(s"${row.getSizeInBytes} bytes are no row of $this")
    row
  }

  /** Whether the `size` bytes at `offset` of `base` have this structure. */
  private[expressions] def matches(base: AnyRef, offset: Long, size: Int): Boolean =
    if (size < fixed || size % 8 != 0) false
    else {
      var room = size.toLong - fixed
      var i = 0
      while (i < variable.length && room >= 0) {
        val field = variable(i)
        if (isNull(base, offset, field)) {
          if (required(i)) room = -1L
        } else {
          val at = offset + UnsafeRow.calculateBitSetWidthInBytes(fields) + 8L * field
          room = spent(parts(i), base, offset, size, fixed, Platform.getLong(base, at), room)
        }
        i += 1
      }
      room >= 0
    }

  override def toString: String = types.map(_.simpleString).mkString("(", ", ", ")")
}

private[spark] object RowStructure {

  /** The structure of rows with this schema. */
  def of(schema: StructType): RowStructure =
    new RowStructure(schema.fields.map(_.dataType).toSeq, schema.fields.map(!_.nullable).toSeq)

  /** Whether `size` bytes are a value of a type with variable length. */
  private trait Part extends Serializable {
    def matches(base: AnyRef, offset: Long, size: Int): Boolean
  }

  private def isNull(base: AnyRef, bits: Long, index: Int): Boolean =
    (Platform.getLong(base, bits + (index >> 6) * 8L) >>> index & 1L) != 0

  /**
   * The rest of `room` after a part whose place and size are in `word`. Negative if the part lies outside of its container of
   * `size` bytes or is no value of its type.
   */
  private def spent(
      part: Part,
      base: AnyRef,
      offset: Long,
      size: Int,
      least: Int,
      word: Long,
      room: Long
  ): Long = {
    val from = (word >>> 32).toInt
    val length = word.toInt
    if (length < 0 || from < least || from.toLong + length > size || length > room) -1L
    else if (part.matches(base, offset + from, length)) room - length
    else -1L
  }

  private def partOf(dataType: DataType): Part = dataType match {
    case CalendarIntervalType => (_, _, size) => size == 16
    case _: DecimalType       => (_, _, size) => size >= 1 && size <= 16
    case struct: StructType   =>
      val structure = of(struct)
      structure.matches(_, _, _)
    case ArrayType(element, containsNull)  => new ArrayPart(element, containsNull)
    case MapType(key, value, containsNull) =>
      new MapPart(new ArrayPart(key, containsNull = false), new ArrayPart(value, containsNull))
    case user: UserDefinedType[_]     => partOf(user.sqlType)
    case v if v.typeName == "variant" => VariantPart
    case _                            => (_, _, _) => true
  }

  /** An array: the number of elements, a bit for each null, and the elements or their places. */
  final private class ArrayPart(element: DataType, containsNull: Boolean) extends Part {
    private[this] val isFixed = isFixedElement(element)
    private[this] val width = if (isFixed) widthOf(element) else 8
    private[this] val part = if (isFixed) null else partOf(element)

    def count(base: AnyRef, offset: Long): Long = Platform.getLong(base, offset)

    def matches(base: AnyRef, offset: Long, size: Int): Boolean = size >= 8 && {
      val elements = count(base, offset)
      elements >= 0 && elements <= size * 8L && {
        val header = 8 + (elements + 63) / 64 * 8
        header + elements * width <= size && (containsNull || !anyNull(base, offset, elements.toInt)) &&
        (isFixed || partsMatch(base, offset, size, elements.toInt))
      }
    }

    private def anyNull(base: AnyRef, offset: Long, elements: Int): Boolean = {
      val words = (elements + 63) / 64
      var i = 0
      while (i < words && Platform.getLong(base, offset + 8 + 8L * i) == 0L) i += 1
      i < words
    }

    private def partsMatch(base: AnyRef, offset: Long, size: Int, elements: Int): Boolean = {
      val places = 8 + (elements + 63) / 64 * 8
      val least = places + 8 * elements
      var room = size.toLong - least
      var i = 0
      while (i < elements && room >= 0) {
        if (!isNull(base, offset + 8, i))
          room =
            spent(part, base, offset, size, least, Platform.getLong(base, offset + places + 8L * i), room)
        i += 1
      }
      room >= 0
    }
  }

  /** A map: the size of the keys, the keys and the values. */
  final private class MapPart(keys: ArrayPart, values: ArrayPart) extends Part {
    def matches(base: AnyRef, offset: Long, size: Int): Boolean = size >= 8 && {
      val ofKeys = Platform.getLong(base, offset)
      ofKeys >= 0 && ofKeys <= size - 8 && {
        val ofValues = size - 8 - ofKeys.toInt
        keys.matches(base, offset + 8, ofKeys.toInt) && values.matches(base, offset + 8 + ofKeys, ofValues) &&
        keys.count(base, offset + 8) == values.count(base, offset + 8 + ofKeys)
      }
    }
  }

  /** A variant: the size of the value, the value and the metadata. */
  private object VariantPart extends Part {
    def matches(base: AnyRef, offset: Long, size: Int): Boolean = size >= 4 && {
      val ofValue = Platform.getInt(base, offset)
      ofValue >= 0 && ofValue <= size - 4
    }
  }

  private def isFixedElement(element: DataType): Boolean = element match {
    case user: UserDefinedType[_] => isFixedElement(user.sqlType)
    case other                    => UnsafeRow.isFixedLength(other)
  }

  private def widthOf(element: DataType): Int = element match {
    case user: UserDefinedType[_]                                      => widthOf(user.sqlType)
    case BooleanType | ByteType                                        => 1
    case ShortType                                                     => 2
    case IntegerType | FloatType | DateType | _: YearMonthIntervalType => 4
    case _                                                             => 8
  }
}
