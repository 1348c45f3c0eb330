package org.slidewise.spark.execution.arrays

import java.lang.Double.longBitsToDouble

import org.slidewise.core.kernels.Validity
import org.slidewise.core.multisets.{ColumnDictionary, OrderedDoubles}
import org.slidewise.spark.execution.sorting.SortedColumns

/**
 * One input column of one partition at a time, in the order of its rows; gathered once for each partition, for all functions that
 * read the column.
 *
 * Memory: eight bytes and a bit for each row of the largest partition so far, for each of [[longs]] and [[doubles]] that is read;
 * [[PartitionColumn.dictionaryBytesARow]] for each of [[dictionary]] and [[ranks]].
 *
 * @param holdsDoubles
 *   whether the column holds the bits of doubles
 * @param dictionaryInOrder
 *   whether the codes of [[dictionary]] compare as the values do
 */
final private[arrays] class PartitionColumn(
    sorted: SortedColumns,
    column: Int,
    holdsDoubles: Boolean,
    dictionaryInOrder: Boolean
) {
  private[this] var longValues: Array[Long] = _
  private[this] var doubleValues: Array[Double] = _
  private[this] var words: Array[Long] = _
  private[this] val nullable = sorted.columns.anyNull(column)
  private[this] var from, size = 0
  private[this] var hasLongs, hasDoubles = false
  private[this] val encoded, ranked = new Encoding
  private[this] var ordered: Array[Long] = _

  /** Moves to the rows at the places `newFrom until newFrom + newSize`. */
  def begin(newFrom: Int, newSize: Int): Unit = {
    from = newFrom
    size = newSize
    hasLongs = false
    hasDoubles = false
    encoded.forget()
    ranked.forget()
    if (nullable) gatherValid()
  }

  /** The rows of the partition that hold a value, as bits (see [[Validity]]); null if all rows do. */
  def valid: Array[Long] = words

  private def gatherValid(): Unit = {
    words = PartitionColumn.room(words, Validity.words(size))
    val rows = sorted.order.rows
    var i = 0
    while (i < size) {
      if ((i & 63) == 0) words(i >>> 6) = 0L
      if (!sorted.columns.isNull(column, rows(from + i))) words(i >>> 6) |= 1L << i
      i += 1
    }
  }

  /** The values; kernels may write to the places of nulls, and to no others. */
  def longs: Array[Long] = {
    if (!hasLongs) {
      longValues = PartitionColumn.room(longValues, size)
      val into = longValues
      val values = sorted.columns(column)
      val rows = sorted.order.rows
      var i = 0
      while (i < size) {
        into(i) = values(rows(from + i))
        i += 1
      }
      hasLongs = true
    }
    longValues
  }

  /** The values of a column that holds the bits of doubles. Kernels may write to the places of nulls, and to no others. */
  def doubles: Array[Double] = {
    if (!hasDoubles) {
      doubleValues = PartitionColumn.room(doubleValues, size)
      val into = doubleValues
      val values = sorted.columns(column)
      val rows = sorted.order.rows
      var i = 0
      while (i < size) {
        into(i) = longBitsToDouble(values(rows(from + i)))
        i += 1
      }
      hasDoubles = true
    }
    doubleValues
  }

  /** The distinct values of the partition and the code of each row. Doubles are encoded as longs in the order of the doubles. */
  def dictionary: ColumnDictionary =
    if (encoded.isCurrent) encoded.get
    else if (holdsDoubles) {
      OrderedDoubles.toLongs(doubles, size, roomForOrdered())
      encoded.make(ordered, inOrder = dictionaryInOrder)
    } else if (ranked.isCurrent) ranked.get
    else encoded.make(longs, inOrder = dictionaryInOrder)

  /** The same as [[dictionary]], but the codes compare as the values do, and -0.0 and 0.0 have different codes. */
  def ranks: ColumnDictionary =
    if (ranked.isCurrent) ranked.get
    else if (holdsDoubles) {
      OrderedDoubles.toSignedLongs(doubles, size, roomForOrdered())
      ranked.make(ordered, inOrder = true)
    } else ranked.make(longs, inOrder = true)

  private def roomForOrdered(): Array[Long] = {
    ordered = PartitionColumn.room(ordered, size)
    ordered
  }

  /** A dictionary that is rebuilt for each partition. */
  private final class Encoding {
    private[this] var made: ColumnDictionary = _
    private[this] var current = false

    def isCurrent: Boolean = current
    def get: ColumnDictionary = made
    def forget(): Unit = current = false

    def make(values: Array[Long], inOrder: Boolean): ColumnDictionary = {
      if (made == null) made = new ColumnDictionary
      if (inOrder) made.encodeInOrder(values, valid, size) else made.encode(values, valid, size)
      current = true
      made
    }
  }
}

private[arrays] object PartitionColumn {

  /** The memory of a dictionary for each row of the largest partition, in bytes, with the doubles as ordered longs. */
  val dictionaryBytesARow: Long = ColumnDictionary.BytesARow + 8L

  /** `array` if it holds at least `size` values, otherwise a new array. */
  def room(array: Array[Long], size: Int): Array[Long] =
    if (array == null || array.length < size) new Array[Long](size) else array

  def room(array: Array[Double], size: Int): Array[Double] =
    if (array == null || array.length < size) new Array[Double](size) else array
}
