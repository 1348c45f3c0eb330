package org.slidewise.spark.execution.sorting

import java.lang.Long.compareUnsigned

/**
 * Clusters rows by the leading bits of a column, in the order of the column. Rows keep their order within a cluster. Sorting and
 * reading the rows of one cluster stays in the CPU cache, unlike sorting and reading all rows.
 *
 * Time: three passes over the column, and one over each column that is moved. Memory: four bytes a row, and eight more while
 * columns are moved.
 *
 * @param by
 *   the column, and whether its nulls come first
 * @param checkpoint
 *   called before each pass; may throw to cancel
 */
final private[sorting] class RowClusters(
    columns: LongColumns,
    count: Int,
    by: SortColumn,
    checkpoint: Runnable
) {
  import RowClusters._

  private[this] val keys = columns(by.column)
  private[this] val nullable = columns.anyNull(by.column)
  private[this] var least, greatest = 0L
  findRange()

  // The clusters of values lie between a first and a last cluster for nulls, at least one of which is empty.
  private[this] val shift = {
    val wanted = math.min(MostClusters, Integer.highestOneBit(count / RowsOfCluster))
    math.max(
      0,
      64 - java.lang.Long.numberOfLeadingZeros(greatest - least) - Integer.numberOfTrailingZeros(wanted)
    )
  }
  private[this] val ofValues = ((greatest - least) >>> shift).toInt + 1

  /** Start of each cluster, and the end of the last. */
  val starts: Array[Int] = new Array[Int](ofValues + 3)

  // The new row number of each row.
  private[this] val places = new Array[Int](count)
  place()

  private def findRange(): Unit = {
    checkpoint.run()
    var found = false
    var row = 0
    while (row < count) {
      if (!nullable || !columns.isNull(by.column, row)) {
        val key = keys(row)
        if (!found || compareUnsigned(key, least) < 0) least = key
        if (!found || compareUnsigned(key, greatest) > 0) greatest = key
        found = true
      }
      row += 1
    }
  }

  private def clusterOf(row: Int): Int =
    if (!nullable || !columns.isNull(by.column, row)) ((keys(row) - least) >>> shift).toInt + 1
    else if (by.nullsFirst) 0
    else ofValues + 1

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

private[sorting] object RowClusters {

  /** The minimum number of rows for which moving rows pays. */
  final val ManyRows = 1 << 16

  private final val RowsOfCluster = 1 << 14
  private final val MostClusters = 1 << 9
}
