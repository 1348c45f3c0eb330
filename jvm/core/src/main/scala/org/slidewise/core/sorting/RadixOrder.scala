package org.slidewise.core.sorting

/**
 * Stable orders of rows by keys, as permutations: what stands first in the order is at index 0.
 *
 * Time: a pass over the rows for each eleven bits in which the keys differ. Space: see [[RadixOrder.bytesARow]].
 */
object RadixOrder {
  private val DigitBits = 11
  private val Digits = 1 << DigitBits

  /** The memory that [[byKeys]] takes beyond its argument, in bytes a row. */
  val bytesARow: Long = 8 + 2 * 4

  /**
   * The rows `0 until rows` in the order of their keys, compared as unsigned; equal keys as they come.
   *
   * @param keys
   *   overwritten
   */
  def byKeys(keys: Array[Long], rows: Int): Array[Int] = {
    var from, order = identity(rows)
    var into: Array[Int] = null
    var keysFrom = keys
    var keysInto: Array[Long] = null
    var left = differingBits(keys, rows)
    while (left != 0) {
      if (into == null) {
        into = new Array[Int](rows)
        keysInto = new Array[Long](rows)
      }
      val shift = java.lang.Long.numberOfTrailingZeros(left)
      pass(keysFrom, from, keysInto, into, rows, shift)
      order = into
      into = from
      from = order
      val swapped = keysFrom
      keysFrom = keysInto
      keysInto = swapped
      left = if (shift + DigitBits >= 64) 0L else left >>> (shift + DigitBits) << (shift + DigitBits)
    }
    order
  }

  /**
   * `order` regrouped by `groupOf` each row, the groups in ascending order, each in the order that it had.
   *
   * @param groupOf
   *   a number below `groups` for each row
   */
  def byGroup(order: Array[Int], rows: Int, groupOf: Array[Int], groups: Int): Array[Int] = {
    val start = new Array[Int](groups + 1)
    var i = 0
    while (i < rows) {
      start(groupOf(i) + 1) += 1
      i += 1
    }
    var group = 0
    while (group < groups) {
      start(group + 1) += start(group)
      group += 1
    }
    val regrouped = new Array[Int](rows)
    i = 0
    while (i < rows) {
      val row = order(i)
      val at = groupOf(row)
      regrouped(start(at)) = row
      start(at) += 1
      i += 1
    }
    regrouped
  }

  private def identity(rows: Int): Array[Int] = {
    val order = new Array[Int](rows)
    var i = 0
    while (i < rows) {
      order(i) = i
      i += 1
    }
    order
  }

  /** None, if the keys are in order already. */
  private def differingBits(keys: Array[Long], rows: Int): Long = {
    var differing = 0L
    var sorted = true
    var i = 1
    while (i < rows) {
      differing |= keys(i) ^ keys(0)
      sorted &= java.lang.Long.compareUnsigned(keys(i - 1), keys(i)) <= 0
      i += 1
    }
    if (sorted) 0L else differing
  }

  private def pass(
      keys: Array[Long],
      order: Array[Int],
      keysInto: Array[Long],
      orderInto: Array[Int],
      rows: Int,
      shift: Int
  ): Unit = {
    val start = new Array[Int](Digits + 1)
    var i = 0
    while (i < rows) {
      start(((keys(i) >>> shift) & (Digits - 1)).toInt + 1) += 1
      i += 1
    }
    var digit = 0
    while (digit < Digits) {
      start(digit + 1) += start(digit)
      digit += 1
    }
    i = 0
    while (i < rows) {
      val digitOf = ((keys(i) >>> shift) & (Digits - 1)).toInt
      val to = start(digitOf)
      start(digitOf) = to + 1
      keysInto(to) = keys(i)
      orderInto(to) = order(i)
      i += 1
    }
  }
}
