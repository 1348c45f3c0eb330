package org.slidewise.spark.execution.arrays

import org.slidewise.spark.execution.sorting.{LongColumns, RowOrder}

/** The key of one bound of RANGE frames for each row. */
private[arrays] trait BoundKeys {

  /** The bound's key for the row at a place of the sorted rows. */
  def apply(place: Int): Long

  /** Whether the keys of rows in order may decrease, as those of calendar intervals do at the end of a month. */
  def mayDecrease: Boolean = false
}

final private[arrays] class CurrentKeys(order: RowOrder) extends BoundKeys {
  private[this] val keys = order.keys
  override def apply(place: Int): Long = keys(place)
}

/**
 * @param flip
 *   converts keys to values, and values to keys, by XOR
 */
final private[arrays] class ShiftedKeys(order: RowOrder, flip: Long, by: Long) extends BoundKeys {
  private[this] val keys = order.keys
  override def apply(place: Int): Long = (keys(place) ^ flip) + by ^ flip
}

private[arrays] object ShiftedKeys {

  /** Whether moving any of the rows' values by `by` stays within the range of their type. */
  def inRange(
      columns: LongColumns,
      column: Int,
      rows: Int,
      flip: Long,
      by: Long,
      range: (Long, Long)
  ): Boolean = {
    var least = Long.MaxValue
    var greatest = Long.MinValue
    val keys = columns(column)
    var row = 0
    while (row < rows) {
      if (!columns.isNull(column, row)) {
        val value = keys(row) ^ flip
        least = math.min(least, value)
        greatest = math.max(greatest, value)
      }
      row += 1
    }
    least > greatest || (if (by < 0) least >= range._1 - by else greatest <= range._2 - by)
  }
}

final private[arrays] class ComputedKeys(order: RowOrder, values: Array[Long]) extends BoundKeys {
  private[this] val rows = order.rows
  override def apply(place: Int): Long = values(rows(place))
  override def mayDecrease: Boolean = true
}
