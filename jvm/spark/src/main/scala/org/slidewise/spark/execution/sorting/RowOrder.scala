package org.slidewise.spark.execution.sorting

/**
 * The numbers of rows in sorted order, partition by partition.
 *
 * @param first
 *   the first order column, or -1 if there is none
 */
abstract private[execution] class RowOrder(columns: LongColumns, first: Int) {

  /** The places where partitions start; place 0 may be missing. */
  protected def starts: java.util.BitSet

  /** The number of the row at each place. */
  def rows: Array[Int]

  /** The first order column of the row at each place. */
  def keys: Array[Long]

  def size: Int

  /** Whether the rows at `place - 1` and `place`, of one partition, tie in all order columns. */
  protected def arePeers(place: Int): Boolean

  /**
   * Marks the first row of each group of peers among the rows `from until until` of a partition: bit `i % 64` of word `i / 64` of
   * `starts` for the row at `from + i`.
   */
  final def markPeers(from: Int, until: Int, starts: Array[Long]): Unit = {
    var i = 0
    while (i < until - from) {
      if ((i & 63) == 0) starts(i >>> 6) = 0L
      if (i == 0 || !arePeers(from + i)) starts(i >>> 6) |= 1L << i
      i += 1
    }
  }

  /** One past the last place of the partition that `place` is in. */
  final def endOfPartition(place: Int): Int = {
    val next = starts.nextSetBit(place + 1)
    if (next < 0) size else next
  }

  /** The number of rows of a partition with a null in their first order column. These rows are at one end. */
  final def nulls(from: Int, until: Int): Int =
    if (first < 0 || !columns.anyNull(first)) 0
    else {
      var n = 0
      var i = from
      while (i < until) {
        if (columns.isNull(first, rows(i))) n += 1
        i += 1
      }
      n
    }
}

/**
 * The order of rows that arrived sorted: their places are their numbers.
 *
 * @param changes
 *   the rows that do not tie with the row before; empty if peers are not needed
 */
final private[execution] class ArrivalOrder(
    columns: LongColumns,
    val size: Int,
    first: Int,
    protected val starts: java.util.BitSet,
    changes: java.util.BitSet,
    val rows: Array[Int]
) extends RowOrder(columns, first) {
  override protected def arePeers(place: Int): Boolean = !changes.get(place)
  override def keys: Array[Long] = columns(first)
}

private[sorting] object ArrivalOrder {

  /** The order of arrival of rows that are grouped by key. Neither the starts of partitions nor peers are known. */
  def ofGroups(columns: LongColumns, size: Int): ArrivalOrder =
    new ArrivalOrder(columns, size, -1, new java.util.BitSet, new java.util.BitSet, Array.range(0, size))
}

/**
 * The columns of sorted rows.
 *
 * @param columns
 *   indexed by the rows' numbers, not by their places
 * @param orderColumn
 *   the place of the first order column among the columns
 * @param firstInput
 *   the place of the first input among the columns
 * @param inputsFailed
 *   whether an input failed, see [[ColumnReader]]
 * @param acquire
 *   acquires heap memory, in bytes; the owner of the rows releases it
 * @param keyRanks
 *   the rank of each partition key by its number, if the first column holds these ranks; null if keys are not hashed
 */
final private[execution] class SortedColumns(
    val order: RowOrder,
    val columns: LongColumns,
    val orderColumn: Int,
    val firstInput: Int,
    val inputsFailed: Boolean,
    val acquire: Long => Boolean,
    val keyRanks: Array[Int] = null
) {

  /** The heap memory of the columns and of the order, in bytes. */
  def bytes: Long =
    columns.room.toLong * columns.width * LongColumns.bytesAValue + order.size * SortedColumns.OrderBytes

  /** Whether a column of doubles has a NaN. */
  def anyNaN(column: Int): Boolean = {
    val values = columns(column)
    var row = 0
    while (row < order.size && !java.lang.Double.longBitsToDouble(values(row)).isNaN) row += 1
    row < order.size
  }
}

private object SortedColumns {

  // A row's number, and its key.
  private val OrderBytes = 12L
}
