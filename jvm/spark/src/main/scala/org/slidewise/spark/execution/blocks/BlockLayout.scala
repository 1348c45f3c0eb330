package org.slidewise.spark.execution.blocks

import java.nio.ByteOrder

import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.types._

/**
 * The layout of rows in blocks. A lane holds one word of each row: first the words with the null bits, then a word for each
 * column, as in Spark's `UnsafeRow`. A column is sized if its values differ in size. Its lane holds the sizes of the values, and
 * the bytes of the values are stored separately.
 */
final private[execution] class BlockLayout(types: Array[DataType]) extends Serializable {
  import BlockLayout._

  /** The number of columns. */
  val columns: Int = types.length

  /** The number of lanes with null bits. */
  val nullLanes: Int = UnsafeRow.calculateBitSetWidthInBytes(columns) / WordBytes

  /** The number of lanes. */
  val lanes: Int = nullLanes + columns

  /** The columns whose values differ in size, and the others. */
  val (sized: Array[Int], fixed: Array[Int]) = Array.range(0, columns).partition(isSized)

  /** For each column, the number of high bits of its words that are always 0. */
  val unusedBits: Array[Int] = types.map(unusedBitsOf)

  // Spark overwrites values of these types in place, and therefore reserves bytes even for a null.
  private[this] val reserved = types.map(t => if (UnsafeRow.isMutable(t)) 2 * WordBytes else 0)

  def dataType(column: Int): DataType = types(column)

  def isSized(column: Int): Boolean = !UnsafeRow.isFixedLength(types(column))

  /** The size of a row without its variable-length values, in bytes. */
  def fixedBytes: Int = lanes * WordBytes

  /** The bytes that a row uses for a value of `size` bytes in a sized column. The size of a null is 0. */
  def bytesInRow(column: Int, size: Int): Int =
    math.max((size + WordBytes - 1) & -WordBytes, reserved(column))
}

private[execution] object BlockLayout {
  val WordBytes = 8

  def of(attributes: Seq[Attribute]): BlockLayout = new BlockLayout(attributes.map(_.dataType).toArray)

  /** Whether a column is null, given the word of its null lane, which is the lane `column >> 6`. */
  private[blocks] def isNull(word: Long, column: Int): Boolean = (word >>> column & 1) != 0

  /** Whether the value of a narrow type is in the low bits of its word. */
  val isLittleEndian: Boolean = ByteOrder.nativeOrder == ByteOrder.LITTLE_ENDIAN

  /** A new array of at least `least` bytes, with room for growth if possible. */
  private[blocks] def bytes(least: Long): Array[Byte] =
    new Array[Byte](math.max(least, math.min(least + least / 4, MostBytes)).toInt)

  private val MostBytes = Int.MaxValue - 16L

  private def unusedBitsOf(dataType: DataType): Int = dataType match {
    case _ if !isLittleEndian                              => 0
    case ByteType                                          => 56
    case ShortType                                         => 48
    case IntegerType | DateType | _: YearMonthIntervalType => 32
    case _                                                 => 0
  }
}
