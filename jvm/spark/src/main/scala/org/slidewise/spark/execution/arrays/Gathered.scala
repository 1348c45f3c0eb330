package org.slidewise.spark.execution.arrays

import java.lang.Double.longBitsToDouble

import org.slidewise.core.kernels.Validity
import org.slidewise.spark.execution.sorting.SortedColumns

/**
 * One input of one partition at a time, in the order of its rows.
 *
 * Memory: eight bytes for each row of the largest partition so far, for each of [[longs]] and [[doubles]] that is asked for,
 * and a bit.
 */
final private[arrays] class Gathered(sorted: SortedColumns, column: Int) {
  private[this] var longValues: Array[Long] = _
  private[this] var doubleValues: Array[Double] = _
  private[this] var words: Array[Long] = _
  private[this] val nullable = sorted.columns.anyNull(column)

  /** Which rows of the partition hold a value, as in [[Validity]]. */
  def valid: Array[Long] = words

  def gatherValid(from: Int, size: Int): Unit = if (nullable) {
    words = Gathered.room(words, Validity.words(size))
    val rows = sorted.order.rows
    var i = 0
    while (i < size) {
      if ((i & 63) == 0) words(i >>> 6) = 0L
      if (!sorted.columns.isNull(column, rows(from + i))) words(i >>> 6) |= 1L << i
      i += 1
    }
  }

  def longs(from: Int, size: Int): Array[Long] = {
    longValues = Gathered.room(longValues, size)
    val into = longValues
    val values = sorted.columns(column)
    val rows = sorted.order.rows
    var i = 0
    while (i < size) {
      into(i) = values(rows(from + i))
      i += 1
    }
    into
  }

  def doubles(from: Int, size: Int): Array[Double] = {
    doubleValues = Gathered.room(doubleValues, size)
    val into = doubleValues
    val values = sorted.columns(column)
    val rows = sorted.order.rows
    var i = 0
    while (i < size) {
      into(i) = longBitsToDouble(values(rows(from + i)))
      i += 1
    }
    into
  }
}

private[arrays] object Gathered {
  def room(array: Array[Long], size: Int): Array[Long] =
    if (array == null || array.length < size) new Array[Long](size) else array

  def room(array: Array[Double], size: Int): Array[Double] =
    if (array == null || array.length < size) new Array[Double](size) else array
}
