package org.slidewise.spark.execution.sorting

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import org.slidewise.spark.execution.rows.RowLog

/**
 * A sorter's rows in an order.
 *
 * @param addresses
 *   where the rows in the log lie; null if nothing goes there
 * @param order
 *   the number of the row at each place
 */
final private[sorting] class StoredRows(
    val fields: StoredFields,
    val columns: LongColumns,
    val log: RowLog,
    addresses: RowAddresses,
    val order: Array[Int]
) {

  /** The places of the rows in the log, at most `together` at a time; null if nothing goes there. */
  def places(together: Int = RowPlaces.Together): RowPlaces =
    if (addresses == null) null else new RowPlaces(log, addresses, order, together)
}

/** Rows of some places that follow each other, so that each can be pointed to. */
private[sorting] trait RowStretch {

  /** Turns to the rows from the place `from` on, at most up to `until`. Returns one past the last; at least `from + 1`. */
  def prepare(from: Int, until: Int): Int

  /** Points `row` to the row at a place. */
  def pointTo(row: UnsafeRow, place: Int): Unit
}

/** Whole rows in the log. */
final private[sorting] class LoggedStretch(places: RowPlaces) extends RowStretch {

  override def prepare(from: Int, until: Int): Int = {
    val end = math.min(until, from + RowPlaces.Together)
    places.locate(from, end)
    places.prefetch(end - from)
    end
  }

  override def pointTo(row: UnsafeRow, place: Int): Unit = places.pointTo(row, place)
}
