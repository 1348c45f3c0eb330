package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType

/**
 * A place between two rows in the order of all rows. Rows are ordered by key and, where keys tie, by place.
 *
 * @param key
 *   a sort key, of which only the first `columns` fields count
 * @param place
 *   the place among the rows with this key: the number of the run, and the number of the row in the run, see [[Cut.place]].
 *   `Long.MinValue` is before all of these rows, and `Long.MaxValue` after all of them
 */
final private[parallel] case class Cut(key: InternalRow, columns: Int, place: Long) {

  /** Whether the cut keeps all rows with equal values in the first `common` columns of the key on one side. */
  def keepsTogether(common: Int): Boolean =
    columns <= common && (place == Long.MinValue || place == Long.MaxValue)
}

private[parallel] object Cut {

  /** Before all rows. */
  val Start: Cut = Cut(InternalRow.empty, 0, Long.MinValue)

  /** After all rows. */
  val End: Cut = Cut(InternalRow.empty, 0, Long.MaxValue)

  /** Before the first row whose first `columns` fields equal those of `key`. */
  def before(key: InternalRow, columns: Int): Cut = Cut(key, columns, Long.MinValue)

  /** After the last row whose first `columns` fields equal those of `key`. */
  def after(key: InternalRow, columns: Int): Cut = Cut(key, columns, Long.MaxValue)

  private val PositionBits = 40

  /** The place of a row among the rows that tie with it. Rows of earlier runs come first. */
  def place(run: Int, position: Long): Long = (run.toLong << PositionBits) | position
}

/**
 * Compares rows, by their keys and places, with cuts.
 *
 * @param directions
 *   the sort direction and the place of nulls for each field of a key
 */
final private[parallel] class CutOrder(directions: Seq[SortOrder]) {
  private[this] val orderings =
    Array.tabulate(directions.size + 1)(n =>
      if (n == 0) null else RowOrdering.create(directions.take(n), Nil)
    )

  /** The types of the fields. */
  def types: Seq[DataType] = directions.map(_.child.dataType)

  private def compareKeys(a: InternalRow, b: InternalRow, columns: Int): Int =
    if (columns == 0) 0 else orderings(columns).compare(a, b)

  /** Whether rows with these keys tie. */
  def areEqual(a: InternalRow, b: InternalRow): Boolean = compareKeys(a, b, directions.size) == 0

  /** Whether the row with this key and place comes before the cut. */
  def isBefore(key: InternalRow, place: Long, cut: Cut): Boolean = {
    val byKey = compareKeys(key, cut.key, cut.columns)
    byKey < 0 || byKey == 0 && place < cut.place
  }

  /** The order of two cuts. */
  def compare(a: Cut, b: Cut): Int = {
    val columns = math.min(a.columns, b.columns)
    val byKey = compareKeys(a.key, b.key, columns)
    if (byKey != 0) byKey
    else if (a.columns == b.columns) java.lang.Long.compare(a.place, b.place)
    else if (a.columns == columns) side(a)
    else -side(b)
  }

  // A cut by fewer columns is before or after all rows with equal values in these columns.
  private def side(shorter: Cut): Int = if (shorter.place == Long.MinValue) -1 else 1

  def first(a: Cut, b: Cut): Cut = if (compare(a, b) <= 0) a else b
  def last(a: Cut, b: Cut): Cut = if (compare(a, b) >= 0) a else b
}
