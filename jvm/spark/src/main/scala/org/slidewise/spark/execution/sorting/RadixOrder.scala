package org.slidewise.spark.execution.sorting

import org.slidewise.core.sorting.RadixSort

/**
 * A sort column.
 *
 * @param column
 *   the number of the column
 * @param nullsFirst
 *   whether nulls come first
 */
final private[sorting] case class SortColumn(column: Int, nullsFirst: Boolean)

/**
 * Decides which rows are peers.
 *
 * @param columns
 *   the columns in which peers are equal
 * @param ties
 *   a further comparison by which peers must be equal; none if `columns` suffice
 */
final private[sorting] class PeerOrder(columns: Seq[Int], ties: Option[java.util.Comparator[Integer]]) {
  private[this] val each = columns.toArray

  /** Whether the rows with the numbers `a` and `b` are peers. */
  def tie(values: LongColumns, a: Int, b: Int): Boolean = {
    var c = 0
    while (c < each.length && values.same(each(c), a, b)) c += 1
    c == each.length && (ties.isEmpty || ties.get.compare(a, b) == 0)
  }
}

/**
 * Sorts rows by their partition columns and, within each partition, by their order columns. Ties keep the order of arrival,
 * unless `nullsMoveTies` is true.
 *
 * Rows are first partitioned, and each partition is then sorted separately: by radix passes from the last order column to the
 * first and, if `ties` is given, by comparing runs of equal keys.
 *
 * Memory: [[RadixOrder.bytesARow]] a row, of which [[RadixOrder.scratchBytesARow]] can be released when the order is complete.
 *
 * @param clusters
 *   the start of each cluster of rows, and the end of the last; clusters follow each other in the order of the first columns, and
 *   rows that are equal in all columns are in one cluster
 * @param peers
 *   decides which rows of a partition are peers
 * @param nullsMoveTies
 *   see [[SortSpec.nullsMoveTies]]
 * @param checkpoint
 *   called between steps of about a million rows; may throw to cancel the sort
 */
final private[sorting] class RadixOrder(
    columns: LongColumns,
    clusters: Array[Int],
    partition: Seq[SortColumn],
    order: Seq[SortColumn],
    ties: Option[java.util.Comparator[Integer]],
    peers: PeerOrder,
    nullsMoveTies: Boolean,
    checkpoint: Runnable
) extends RowOrder(columns, if (order.isEmpty) -1 else order.head.column) {
  import RadixOrder._

  private[this] val count = clusters.last
  private[this] val numbers = new Array[Int](count)
  private[this] val keyBits = new Array[Long](count)
  protected val starts = new java.util.BitSet(count)
  private[this] val first = if (order.isEmpty) -1 else order.head.column

  private[this] var passed = 0 // rows since the last checkpoint

  override def rows: Array[Int] = numbers
  override def keys: Array[Long] = keyBits
  override def size: Int = count

  override protected def arePeers(place: Int): Boolean =
    peers.tie(columns, numbers(place - 1), numbers(place))

  private[this] val byOrder = order.toArray

  sort(new RadixSort(checkpoint))

  private def sort(radix: RadixSort): Unit = {
    placeRows()
    var cluster = 0
    while (cluster < clusters.length - 1) {
      sortCluster(clusters(cluster), clusters(cluster + 1), radix)
      cluster += 1
    }
  }

  private def sortCluster(begin: Int, end: Int, radix: RadixSort): Unit = {
    partition.reverseIterator.foreach(sortBy(_, radix, begin, end))
    markStarts(begin, end)
    var from = begin
    while (from < end) {
      val until = math.min(end, endOfPartition(from))
      var c = byOrder.length - 1
      while (c >= 0) {
        sortBy(byOrder(c), radix, from, until)
        c -= 1
      }
      if (ties.isDefined) sortTies(ties.get, from, until)
      from = until
    }
  }

  private def placeRows(): Unit = {
    val column = (partition ++ order).headOption.filter(c => nullsMoveTies && columns.anyNull(c.column))
    var nulls = 0
    var i = 0
    while (i < count) {
      numbers(i) = i
      if (column.isDefined && columns.isNull(column.get.column, i)) {
        numbers(i) = numbers(nulls)
        numbers(nulls) = i
        nulls += 1
      }
      i += 1
    }
  }

  private def sortBy(by: SortColumn, radix: RadixSort, from: Int, until: Int): Unit = {
    val values = columns(by.column)
    var i = from
    while (i < until) {
      val end = endOfStep(i, until)
      while (i < end) {
        keyBits(i) = values(numbers(i))
        i += 1
      }
    }
    if (until - from > 1) {
      radix.sort(keyBits, numbers, from, until)
      if (columns.anyNull(by.column))
        radix.partition(
          keyBits,
          numbers,
          from,
          until,
          row => columns.isNull(by.column, row) == by.nullsFirst
        )
    }
  }

  /**
   * Marks the first row of each partition that starts in a cluster. Runs after the sort by the first partition column, when
   * `keyBits` holds the sorted values of this column.
   */
  private def markStarts(begin: Int, end: Int): Unit = {
    val each = partition.map(_.column).toArray
    val known = each.length > 0 && !columns.anyNull(each(0))
    if (begin > 0 && begin < end && each.exists(!columns.same(_, numbers(begin - 1), numbers(begin))))
      starts.set(begin)
    var i = begin + 1
    while (i < end) {
      val step = endOfStep(i, end)
      while (i < step) {
        if (known && keyBits(i - 1) != keyBits(i)) starts.set(i)
        else {
          var c = if (known) 1 else 0
          while (c < each.length && columns.same(each(c), numbers(i - 1), numbers(i))) c += 1
          if (c < each.length) starts.set(i)
        }
        i += 1
      }
    }
  }

  /** The end of the next step of a loop over the rows `from until until`. Runs the checkpoint if it is due. */
  private def endOfStep(from: Int, until: Int): Int = {
    val end = if (until - from < RowsBetweenCheckpoints) until else from + RowsBetweenCheckpoints
    passed += end - from
    if (passed >= RowsBetweenCheckpoints) {
      passed = 0
      checkpoint.run()
    }
    end
  }

  private def sortTies(compare: java.util.Comparator[Integer], from: Int, until: Int): Unit = {
    var run = from
    var i = from + 1
    while (i <= until) {
      if (i == until || !columns.same(first, numbers(i - 1), numbers(i))) {
        if (i - run > 1) sortRun(compare, run, i)
        run = i
      }
      i += 1
    }
  }

  private def sortRun(compare: java.util.Comparator[Integer], from: Int, until: Int): Unit = {
    val boxed = Array.tabulate(until - from)(i => Integer.valueOf(numbers(from + i)))
    java.util.Arrays.sort(boxed, compare)
    var i = 0
    while (i < boxed.length) {
      numbers(from + i) = boxed(i)
      i += 1
    }
  }
}

private[sorting] object RadixOrder {
  private final val RowsBetweenCheckpoints = RadixSort.RowsBetweenCheckpoints

  // A boxed number, a reference to it, and half a reference in the merge sort of the JDK.
  private val BytesATie = 16L + 4L + 2L

  /** @param ties whether runs of equal keys are compared */
  def scratchBytesARow(ties: Boolean): Long = 2 * RadixSort.BytesARow + (if (ties) BytesATie else 0L)

  /**
   * The memory of the order for each row, in bytes: the row's number, its key, bits for starts of partitions and the table of
   * addresses, and [[scratchBytesARow]].
   */
  def bytesARow(ties: Boolean): Long = 4 + 8 + 1 + scratchBytesARow(ties)
}
