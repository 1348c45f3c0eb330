package org.slidewise.spark.execution.sorting

import org.apache.spark.unsafe.Platform

import org.slidewise.spark.execution.RowLog

/**
 * What is known of rows once they are sorted.
 *
 * @param columns
 *   by the rows' numbers, not their places
 * @param orderColumn
 *   the first order column among the columns
 * @param firstInput
 *   the first of the inputs among the columns
 * @param inputsFailed
 *   whether inputs could not be read
 * @param acquire
 *   asks for memory, in bytes; it is given back with the rows
 */
final private[execution] class SortedColumns(
    val order: RowOrder,
    val columns: LongColumns,
    val orderColumn: Int,
    val firstInput: Int,
    val inputsFailed: Boolean,
    val places: RowPlaces,
    val acquire: Long => Boolean
)

/** Where sorted rows lie. */
final private[execution] class RowPlaces(log: RowLog, addresses: Array[Long], order: Array[Int])
    extends RowFinisher {
  private[this] var seen = 0L

  def base(place: Int): AnyRef = log.baseOf(addresses(order(place)))

  /** Where the row itself starts. */
  def offset(place: Int): Long = log.offsetOf(addresses(order(place)))

  /** Only touches the rows: reads that do not wait for each other bring them into the cache together. */
  override def finish(from: Int): Int = {
    val until = math.min(from + RowPlaces.Together, order.length)
    var i = from
    while (i < until) {
      seen += Platform.getLong(base(i), offset(i))
      i += 1
    }
    until
  }

  /** Keeps the reads alive. */
  def touched: Long = seen
}

private[execution] object RowPlaces {

  /** How many rows are fetched together: what fits into the first level of a cache. */
  final val Together = 128
}
