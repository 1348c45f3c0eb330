package org.slidewise.core.multisets

import org.slidewise.core.kernels.Validity
import org.slidewise.core.sorting.RadixSort

/**
 * Dictionary encoding of a column of longs: gives each distinct value a code from 0 until [[cardinality]], and each row the code
 * of its value.
 *
 * The distinct values are in an array by code. An open-addressing hash table with linear probing finds the code of a value. Its
 * slots hold codes only, and it is at most half full. Invariants, outside of `encode` and `encodeInOrder`:
 *   - (D1) `value(codes(i))` is the value of each row `i` that is not null, and `codes(i)` is -1 for each null row;
 *   - (D2) different codes have different values, and each code has a row.
 *
 * '''Cost.''' `encode` takes expected constant time for each row. `encodeInOrder` sorts the distinct values by radix besides, and
 * passes once more over the rows. Memory: [[ColumnDictionary.BytesARow]] for each row of the longest column, kept for the next
 * column. Not safe for concurrent use.
 *
 * @param checkpoint
 *   called while the distinct values are sorted, as in RadixSort; may throw to cancel, after which the dictionary must encode
 *   again before it is read
 */
final class ColumnDictionary(checkpoint: Runnable) {
  import ColumnDictionary._

  def this() = this(() => ())

  private[this] val sort = new RadixSort(checkpoint)
  private[this] var rowCodes = Array.emptyIntArray
  private[this] var distinct = Array.emptyLongArray
  private[this] var count = 0
  private[this] var rows = 0
  private[this] var slots = Array.emptyIntArray // a code plus one; zero in an empty slot
  private[this] var mask = 0 // the slots in use are those up to the mask

  /** The code of each row; -1 for a null row. Only the rows of the last column are defined. Valid until the next column. */
  def codes: Array[Int] = rowCodes

  /** The number of distinct values that are not null. */
  def cardinality: Int = count

  /** The value with this code. */
  def value(code: Int): Long = distinct(code)

  /** The values by code, of which the first `cardinality` are defined. */
  private[multisets] def values: Array[Long] = distinct

  /**
   * Encodes the first `size` values, with codes in the order of their first occurrence.
   *
   * @param valid
   *   the rows that are not null, as in [[org.slidewise.core.kernels.Validity]]
   * @throws java.lang.IllegalArgumentException
   *   if an array is too short, or `size` is greater than [[ColumnDictionary.MostRows]]
   */
  def encode(values: Array[Long], valid: Array[Long], size: Int): Unit = {
    require(0 <= size && size <= MostRows, s"size must be from 0 to $MostRows, but is $size")
    require(size <= values.length, s"size must be within the ${values.length} values, but is $size")
    require(
      valid == null || valid.length >= Validity.words(size),
      s"valid must have a bit for each of the $size rows (${Validity.words(size)} words), or be null"
    )
    clear(size)
    val codes = rowCodes
    var i = 0
    while (i < size) {
      codes(i) = if (Validity.at(valid, i)) codeOf(values(i)) else -1
      i += 1
    }
  }

  /**
   * Encodes the first `size` values, with codes that compare as the values do.
   *
   * @param valid
   *   the rows that are not null, as in [[org.slidewise.core.kernels.Validity]]
   * @throws java.lang.IllegalArgumentException
   *   if an array is too short, or `size` is greater than [[ColumnDictionary.MostRows]]
   */
  def encodeInOrder(values: Array[Long], valid: Array[Long], size: Int): Unit = {
    encode(values, valid, size)
    sortDistinct()
    val ranks = slots
    val codes = rowCodes
    val first = count
    var i = 0
    while (i < size) {
      val code = codes(i)
      if (code >= 0) codes(i) = ranks(first + code)
      i += 1
    }
  }

  /**
   * Sorts the distinct values. Afterwards the first `count` slots hold codes by rank, and the next `count` ranks by code: the
   * table is not needed until the next column, and half of it is empty.
   */
  private def sortDistinct(): Unit = {
    val slots = this.slots
    val distinct = this.distinct
    var code = 0
    while (code < count) {
      slots(code) = code
      distinct(code) ^= Long.MinValue // RadixSort compares without sign
      code += 1
    }
    sort.sort(distinct, slots, 0, count)
    var rank = 0
    while (rank < count) {
      slots(count + slots(rank)) = rank
      distinct(rank) ^= Long.MinValue
      rank += 1
    }
  }

  private def clear(size: Int): Unit = {
    if (rowCodes.length < size) {
      rowCodes = Array.emptyIntArray
      rowCodes = new Array[Int](size)
    }
    rows = size
    // As many distinct values as the last column had are expected.
    useSlots(2 * math.max(FewestValues, math.min(count, size)))
    count = 0
  }

  /** Empties the hash table, which then has `least` slots or more. */
  private def useSlots(least: Int): Unit = {
    val capacity = Integer.highestOneBit(least - 1) << 1
    if (slots.length < capacity) {
      slots = Array.emptyIntArray
      slots = new Array[Int](capacity)
    } else java.util.Arrays.fill(slots, 0, capacity, 0)
    mask = capacity - 1
  }

  private def codeOf(value: Long): Int = {
    val slots = this.slots
    val distinct = this.distinct
    val mask = this.mask
    var at = mix(value) & mask
    var code = slots(at) - 1
    while (code >= 0 && distinct(code) != value) {
      at = at + 1 & mask
      code = slots(at) - 1
    }
    if (code >= 0) code else add(value, at)
  }

  /** Gives the new `value` a code. The empty slot `at` is its place, unless the table grows. */
  private def add(value: Long, at: Int): Int = {
    val code = count
    if (code == distinct.length)
      distinct =
        java.util.Arrays.copyOf(distinct, math.min(rows.toLong, math.max(FewestValues, 2L * code)).toInt)
    distinct(code) = value
    count = code + 1
    if (2 * count <= mask + 1) slots(at) = count
    else rehash()
    code
  }

  private def rehash(): Unit = {
    useSlots(2 * (mask + 1))
    val slots = this.slots
    val distinct = this.distinct
    var code = 0
    while (code < count) {
      var at = mix(distinct(code)) & mask
      while (slots(at) != 0) at = at + 1 & mask
      code += 1
      slots(at) = code
    }
  }
}

object ColumnDictionary {

  /** The rows that a column may have. */
  final val MostRows = 1 << 28

  /**
   * The most bytes for each row of the longest column: its code, at most one distinct value, fewer than four slots of the hash
   * table, and the sort's scratch arrays. There are at most 16 KiB besides.
   */
  final val BytesARow: Long = 4 + 8 + 4 * 4 + 2 * 12

  private final val FewestValues = 32

  /** Stafford's mixer "13", as in SplittableRandom: each bit of the key changes the low bits of the result. */
  private def mix(key: Long): Int = {
    val once = (key ^ key >>> 30) * 0xbf58476d1ce4e5b9L
    val twice = (once ^ once >>> 27) * 0x94d049bb133111ebL
    (twice ^ twice >>> 31).toInt
  }
}
