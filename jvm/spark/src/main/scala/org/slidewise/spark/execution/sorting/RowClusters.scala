package org.slidewise.spark.execution.sorting

import java.lang.Long.compareUnsigned

/**
 * Clusters rows by the leading bits of sort columns, in their order. Rows keep their order within a cluster. Sorting and reading the
 * rows of one cluster stays in the CPU cache, unlike sorting and reading all rows.
 *
 * Rows are clustered by a further column only where each cluster so far has one value of the columns before.
 *
 * Time: up to three passes over each of these columns, and one over each column that is moved. Memory: four bytes a row, and eight
 * more while columns are moved.
 *
 * @param by
 *   the sort columns, first to last; at least one
 * @param checkpoint
 *   called before each pass; may throw to cancel
 */
final private[sorting] class RowClusters(
    columns: LongColumns,
    count: Int,
    by: Seq[SortColumn],
    checkpoint: Runnable
) {
  import RowClusters._

  private[this] val digits: Array[ClusterDigit] = {
    val found = Array.newBuilder[ClusterDigit]
    var wanted = math.min(MostClusters, Integer.highestOneBit(count / RowsOfCluster))
    val left = by.iterator
    while (wanted > 1 && left.hasNext) {
      checkpoint.run()
      val digit = new ClusterDigit(columns, count, left.next(), wanted)
      if (digit.size > 1) found += digit
      wanted = if (digit.isExact) Integer.highestOneBit(math.max(1, wanted / digit.size)) else 1
    }
    found.result()
  }

  /** Start of each cluster, and the end of the last. */
  val starts: Array[Int] = new Array[Int](digits.map(_.size).product + 1)

  // The new row number of each row.
  private[this] val places = new Array[Int](count)
  place()

  private def clusterOf(row: Int): Int = {
    var cluster, digit = 0
    while (digit < digits.length) {
      cluster = cluster * digits(digit).size + digits(digit).of(row)
      digit += 1
    }
    cluster
  }

  private def place(): Unit = {
    checkpoint.run()
    var row = 0
    while (row < count) {
      starts(clusterOf(row) + 1) += 1
      row += 1
    }
    var cluster = 1
    while (cluster < starts.length) {
      starts(cluster) += starts(cluster - 1)
      cluster += 1
    }
    checkpoint.run()
    val next = starts.clone()
    row = 0
    while (row < count) {
      val cluster = clusterOf(row)
      places(row) = next(cluster)
      next(cluster) += 1
      row += 1
    }
  }

  /** Moves the rows' values, and their addresses if there are any. */
  def move(values: LongColumns, addresses: Array[Long]): Unit = {
    values.move(places, count, checkpoint)
    if (addresses.nonEmpty) {
      val before = addresses.clone()
      var row = 0
      while (row < count) {
        addresses(places(row)) = before(row)
        row += 1
      }
    }
  }
}

/**
 * The leading bits of a sort column.
 *
 * @param wanted
 *   about how many values to tell apart, a power of two
 */
final private class ClusterDigit(columns: LongColumns, count: Int, by: SortColumn, wanted: Int) {
  private[this] val keys = columns(by.column)
  private[this] val nullable = columns.anyNull(by.column)
  private[this] var least, greatest = 0L
  private[this] var hasNulls = false
  findRange()

  private[this] val shift = math.max(
    0,
    64 - java.lang.Long.numberOfLeadingZeros(greatest - least) - Integer.numberOfTrailingZeros(wanted)
  )

  private[this] val values = ((greatest - least) >>> shift).toInt + 1
  private[this] val first = if (hasNulls && by.nullsFirst) 1 else 0

  /** The number of results of [[of]], at most one more than wanted. */
  val size: Int = if (hasNulls) values + 1 else values

  /** Whether all rows with the same bits have the same value. */
  def isExact: Boolean = shift == 0

  /** The number of a row's bits, in the order of the column. Nulls have the first or the last number. */
  def of(row: Int): Int =
    if (!nullable || !columns.isNull(by.column, row)) ((keys(row) - least) >>> shift).toInt + first
    else if (by.nullsFirst) 0
    else values

  private def findRange(): Unit = {
    var found = false
    var row = 0
    while (row < count) {
      if (!nullable || !columns.isNull(by.column, row)) {
        val key = keys(row)
        if (!found || compareUnsigned(key, least) < 0) least = key
        if (!found || compareUnsigned(key, greatest) > 0) greatest = key
        found = true
      } else hasNulls = true
      row += 1
    }
  }
}

private[sorting] object RowClusters {

  /** The minimum number of rows for which moving rows pays. */
  final val ManyRows = 1 << 16

  private final val RowsOfCluster = 1 << 14
  private final val MostClusters = 1 << 9
}
