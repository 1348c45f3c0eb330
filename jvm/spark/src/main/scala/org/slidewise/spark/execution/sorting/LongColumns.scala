package org.slidewise.spark.execution.sorting

import org.slidewise.core.kernels.Validity

/**
 * Columns of 64-bit values, any of which may be null, with a value for each row.
 *
 * Memory: [[LongColumns.bytesAValue]] for each value, which the owner acquires; growing copies one column at a time.
 */
final private[execution] class LongColumns(val width: Int) {
  private[this] val values = Array.fill(width)(Array.emptyLongArray)
  private[this] val nulls = new Array[Array[Long]](width) // a bit for each null row; null if none

  /** The number of rows for which there is room. */
  def room: Int = if (width == 0) 0 else values(0).length

  /** The values of a column; zero for a null. */
  def apply(column: Int): Array[Long] = values(column)

  def set(column: Int, row: Int, value: Long): Unit = values(column)(row) = value

  def setNull(column: Int, row: Int): Unit = {
    if (nulls(column) == null) nulls(column) = new Array[Long](Validity.words(values(column).length))
    nulls(column)(row >>> 6) |= 1L << row
  }

  def anyNull(column: Int): Boolean = nulls(column) != null

  def isNull(column: Int, row: Int): Boolean =
    nulls(column) != null && (nulls(column)(row >>> 6) >>> row & 1L) != 0

  /** The rows among the first `rows` that are not null, as bits (see [[Validity]]); null if no row is null. */
  def valid(column: Int, rows: Int): Array[Long] =
    if (nulls(column) == null) null else nulls(column).take(Validity.words(rows)).map(~_)

  /** Whether the two rows have the same value, or are both null. */
  def same(column: Int, a: Int, b: Int): Boolean =
    values(column)(a) == values(column)(b) && isNull(column, a) == isNull(column, b)

  /**
   * Drops the first `first` of `rows` rows and moves the others to the front.
   *
   * @param first
   *   the number of rows to drop, a multiple of 64
   */
  def drop(first: Int, rows: Int): Unit = {
    val words = first >>> 6
    var c = 0
    while (c < width) {
      System.arraycopy(values(c), first, values(c), 0, rows - first)
      java.util.Arrays.fill(values(c), rows - first, rows, 0L)
      if (nulls(c) != null) {
        System.arraycopy(nulls(c), words, nulls(c), 0, nulls(c).length - words)
        java.util.Arrays.fill(nulls(c), nulls(c).length - words, nulls(c).length, 0L)
      }
      c += 1
    }
  }

  /**
   * Moves the first `rows` values of each column.
   *
   * @param places
   *   the new row number of each value
   * @param checkpoint
   *   called before each column; may throw to cancel
   */
  def move(places: Array[Int], rows: Int, checkpoint: Runnable): Unit = {
    var spare = new Array[Long](if (width == 0) 0 else values(0).length)
    var c = 0
    while (c < width) {
      checkpoint.run()
      val from = values(c)
      val into = spare
      var row = 0
      while (row < rows) {
        into(places(row)) = from(row)
        row += 1
      }
      values(c) = into
      spare = from
      if (nulls(c) != null) moveNulls(c, places, rows)
      c += 1
    }
  }

  private def moveNulls(column: Int, places: Array[Int], rows: Int): Unit = {
    val before = nulls(column)
    nulls(column) = null
    var row = 0
    while (row < rows) {
      if ((before(row >>> 6) >>> row & 1L) != 0) setNull(column, places(row))
      row += 1
    }
  }

  /** Changes the number of rows, and keeps the values. */
  def resize(rows: Int): Unit = {
    var c = 0
    while (c < width) {
      values(c) = java.util.Arrays.copyOf(values(c), rows)
      if (nulls(c) != null) nulls(c) = java.util.Arrays.copyOf(nulls(c), Validity.words(rows))
      c += 1
    }
  }
}

private[execution] object LongColumns {

  /** The memory for one value of one column, in bytes; the bit for a null is rounded up. */
  val bytesAValue: Long = 9
}
