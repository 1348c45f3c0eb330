package org.slidewise.spark.execution.columns

import java.lang.Double.longBitsToDouble
import java.lang.Float.intBitsToFloat
import java.math.{BigDecimal => JavaDecimal, BigInteger}

import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnarMap, ColumnVector}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** A source of a vector's values, which are loaded when they are first read. */
private[execution] trait FieldSource {

  /** Writes the vector's values, see [[FieldVector.words]]. */
  def load(vector: FieldVector): Unit
}

/**
 * The values of one field of some rows.
 *
 * Memory: nine bytes for each row of its capacity; variable-length values are stored elsewhere.
 */
final private[execution] class FieldVector(dataType: DataType, capacity: Int) extends ColumnVector(dataType) {
  private[this] val isNull = new Array[Boolean](capacity)
  private[this] var someNull = false
  private[this] var awaited: FieldSource = _
  private[this] var valueBases: Array[AnyRef] = _
  private[this] var valueOffsets: Array[Long] = _

  /**
   * A word for each row: an integer with its sign, the bits of a floating-point number, or 0 or 1. The word of a variable-length
   * value holds the offset of the value from the row's address (see [[addresses]]) in its upper half, and the size in its lower
   * half. Without addresses, the word of a wide decimal is its unscaled value. The word of a null is undefined.
   */
  val words = new Array[Long](capacity)

  /** Loads the values from `source` when they are first read. */
  def await(source: FieldSource): Unit = awaited = source

  /** Loads the values now if they have not been loaded yet. */
  def load(): Unit = if (awaited != null) {
    val source = awaited
    awaited = null
    clearNulls()
    source.load(this)
  }

  /** Sets the addresses of the rows, for variable-length values. */
  def addresses(bases: Array[AnyRef], offsets: Array[Long]): Unit = {
    valueBases = bases
    valueOffsets = offsets
  }

  def setNull(row: Int): Unit = {
    isNull(row) = true
    someNull = true
  }

  def clearNulls(): Unit = if (someNull) {
    java.util.Arrays.fill(isNull, false)
    someNull = false
  }

  private def word(row: Int): Long = {
    if (awaited != null) load()
    words(row)
  }

  override def close(): Unit = ()

  override def hasNull: Boolean = {
    load()
    someNull
  }
  override def numNulls: Int = {
    load()
    if (someNull) isNull.count(identity) else 0
  }
  override def isNullAt(row: Int): Boolean = {
    if (awaited != null) load()
    isNull(row)
  }

  override def getBoolean(row: Int): Boolean = word(row) != 0L
  override def getByte(row: Int): Byte = word(row).toByte
  override def getShort(row: Int): Short = word(row).toShort
  override def getInt(row: Int): Int = word(row).toInt
  override def getLong(row: Int): Long = word(row)
  override def getFloat(row: Int): Float = intBitsToFloat(word(row).toInt)
  override def getDouble(row: Int): Double = longBitsToDouble(word(row))

  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal = {
    val found = word(row)
    if (isNull(row)) null
    else if (precision <= Decimal.MAX_LONG_DIGITS) Decimal.createUnsafe(found, precision, scale)
    else if (valueBases == null) Decimal(found, precision, scale)
    else Decimal(new JavaDecimal(new BigInteger(bytesAt(row, found)), scale), precision, scale)
  }

  override def getUTF8String(row: Int): UTF8String = {
    val found = word(row)
    if (isNull(row)) null
    else UTF8String.fromAddress(valueBases(row), valueOffsets(row) + (found >>> 32), found.toInt)
  }

  override def getBinary(row: Int): Array[Byte] = {
    val found = word(row)
    if (isNull(row)) null else bytesAt(row, found)
  }

  private def bytesAt(row: Int, found: Long): Array[Byte] = {
    val bytes = new Array[Byte](found.toInt)
    Platform.copyMemory(
      valueBases(row),
      valueOffsets(row) + (found >>> 32),
      bytes,
      Platform.BYTE_ARRAY_OFFSET.toLong,
      bytes.length.toLong
    )
    bytes
  }

  override def getArray(row: Int): ColumnarArray = nested()
  override def getMap(row: Int): ColumnarMap = nested()
  override def getChild(ordinal: Int): ColumnVector = nested()

  private def nested(): Nothing =
    throw new UnsupportedOperationException(s"a vector of ${dataType.catalogString} has no nested values")
}

private[execution] object FieldVector {

  /** Whether a vector can hold values of a type. */
  def holds(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType => true
    case DateType | TimestampType | TimestampNTZType | _: YearMonthIntervalType | _: DayTimeIntervalType =>
      true
    case _: DecimalType | BinaryType | _: StringType => true
    case _                                           => false
  }
}
