package org.slidewise.spark.execution.sorting

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import org.slidewise.spark.execution.rows.RowLog

/**
 * The rows of a sorter, and their order.
 *
 * @param addresses
 *   the addresses of the rows in the log; null if no field is logged
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

  /** A locator of the rows in the log, for at most `together` rows at a time; null if no field is logged. */
  def places(together: Int = RowPlaces.Together): RowPlaces =
    if (addresses == null) null else new RowPlaces(log, addresses, order, together)
}

/** A group of rows at consecutive places, prepared so that an `UnsafeRow` can be pointed to each of them. */
private[sorting] trait RowStretch {

  /**
   * Moves to the rows from place `from` to at most before `until`. Returns the place after the last of these rows, at least `from
   * + 1`.
   */
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
