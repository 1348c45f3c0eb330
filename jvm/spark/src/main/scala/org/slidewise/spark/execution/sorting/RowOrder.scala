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

  /** One past the last place of the partition that `place` is in. */
  final def endOfPartition(place: Int): Int = {
    val next = starts.nextSetBit(place + 1)
    if (next < 0) size else next
  }

  /** How many rows of a partition have a null in their first order column; they are at one end. */
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

/** The order of rows that arrived sorted: their places are their numbers. */
final private[execution] class ArrivalOrder(
    columns: LongColumns,
    val size: Int,
    first: Int,
    protected val starts: java.util.BitSet,
    val rows: Array[Int]
) extends RowOrder(columns, first) {
  override def keys: Array[Long] = columns(first)
}

/**
 * The columns of sorted rows.
 *
 * @param columns
 *   indexed by the rows' numbers, not by their places
 * @param orderColumn
 *   the first order column among the columns
 * @param firstInput
 *   the first of the inputs among the columns
 * @param inputsFailed
 *   whether an input failed, see [[ColumnReader]]
 * @param acquire
 *   acquires heap memory, in bytes; the owner of the rows releases it
 */
final private[execution] class SortedColumns(
    val order: RowOrder,
    val columns: LongColumns,
    val orderColumn: Int,
    val firstInput: Int,
    val inputsFailed: Boolean,
    val acquire: Long => Boolean
)
