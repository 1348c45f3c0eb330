package org.slidewise.spark.execution.sorting

import java.util.Comparator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

import org.slidewise.spark.execution.rows.{RowChunk, RowLog}

/** The addresses of the rows of a frozen log, by their numbers. */
abstract private[sorting] class RowAddresses {

  /** Writes the addresses of the rows `order(from) … order(until - 1)` into the arrays. */
  def locate(order: Array[Int], from: Int, until: Int, bases: Array[AnyRef], offsets: Array[Long]): Unit
}

/** Addresses that were stored when the rows arrived. */
final private[sorting] class NotedAddresses(log: RowLog, addresses: Array[Long]) extends RowAddresses {
  override def locate(
      order: Array[Int],
      from: Int,
      until: Int,
      bases: Array[AnyRef],
      offsets: Array[Long]
  ): Unit = {
    var i = from
    while (i < until) {
      val address = addresses(order(i))
      bases(i - from) = log.pageOf(address)
      offsets(i - from) = log.placeOf(address) + RowChunk.SizeBytes
      i += 1
    }
  }
}

/** The address of the next row of an iterator. */
final private[sorting] class NextAddress(rows: Iterator[UnsafeRow]) extends RowAddresses {
  override def locate(
      order: Array[Int],
      from: Int,
      until: Int,
      bases: Array[AnyRef],
      offsets: Array[Long]
  ): Unit = {
    val row = rows.next()
    bases(0) = row.getBaseObject
    offsets(0) = row.getBaseOffset
  }
}

/** Addresses of rows of one size: computed from their numbers, without a cache miss. */
final private[sorting] class ComputedAddresses(log: RowLog) extends RowAddresses {
  import ComputedAddresses.BlockBits

  private[this] val size = log.bytesARow.toLong
  private[this] val chunks = log.eachChunk.toArray
  private[this] val firstRows = chunks.map(_.firstRow.toInt) :+ Int.MaxValue
  private[this] val pages = chunks.map(_.page.getBaseObject)
  private[this] val starts = chunks.map(chunk => chunk.page.getBaseOffset - chunk.firstRow * size)

  // The chunk of the first row of each block of rows; all chunks except the last are larger than blocks.
  private[this] val chunkOf = {
    val table = new Array[Int](((log.end - 1 >>> BlockBits) + 1).toInt)
    var chunk = 0
    for (block <- table.indices) {
      while (firstRows(chunk + 1) <= (block.toLong << BlockBits)) chunk += 1
      table(block) = chunk
    }
    table
  }

  override def locate(
      order: Array[Int],
      from: Int,
      until: Int,
      bases: Array[AnyRef],
      offsets: Array[Long]
  ): Unit = {
    var i = from
    while (i < until) {
      val row = order(i)
      var chunk = chunkOf(row >>> BlockBits)
      while (row >= firstRows(chunk + 1)) chunk += 1
      bases(i - from) = pages(chunk)
      offsets(i - from) = starts(chunk) + row * size
      i += 1
    }
  }
}

private[sorting] object ComputedAddresses {
  private final val BlockBits = 8
}

/**
 * Locates sorted rows, a group at a time.
 *
 * @param together
 *   the greatest number of rows at a time
 */
final private[sorting] class RowPlaces(
    log: RowLog,
    addresses: RowAddresses,
    order: Array[Int],
    together: Int = RowPlaces.Together
) {
  private[this] var seen = 0L
  private[this] var first = 0

  /** The addresses of the rows that were located last. */
  val bases = new Array[AnyRef](together)
  val offsets = new Array[Long](together)

  /** Locates the rows at the places `from until until`, at most `together`. */
  def locate(from: Int, until: Int): Unit = {
    first = from
    addresses.locate(order, from, until, bases, offsets)
  }

  /** Points `row` to the row at `place`, which must be among those located last. */
  def pointTo(row: UnsafeRow, place: Int): Unit =
    row.pointTo(bases(place - first), offsets(place - first), sizeOf(place - first))

  /** The size of a row among those located last, in bytes. */
  def sizeOf(row: Int): Int =
    if (log.bytesARow >= 0) log.bytesARow
    else Platform.getLong(bases(row), offsets(row) - RowChunk.SizeBytes).toInt

  /**
   * Prefetches the first `rows` of the rows that were located last. Reads that do not depend on each other go to memory in
   * parallel.
   */
  def prefetch(rows: Int): Unit = {
    var i = 0
    while (i < rows) {
      seen += Platform.getLong(bases(i), offsets(i))
      i += 1
    }
  }

  /** The sum of all reads. It keeps the compiler from removing them. */
  def touched: Long = seen
}

private[execution] object RowPlaces {

  /** The number of rows that are located at a time: as many as fit into the first-level cache. */
  final val Together = 128
}

/** Compares rows of a log by their numbers. Not safe for concurrent use. */
final private[sorting] class RowComparator(
    log: RowLog,
    where: RowAddresses,
    ordering: Ordering[InternalRow],
    stopIfCancelled: () => Unit
) extends Comparator[Integer] {
  import RowComparator.CheckEvery

  private[this] val rows = Array(0, 1)
  private[this] val places = new RowPlaces(log, where, rows)
  private[this] val a, b = log.newRow()
  private[this] var compared = 0

  override def compare(left: Integer, right: Integer): Int = {
    compared += 1
    if (compared % CheckEvery == 0) stopIfCancelled()
    rows(0) = left
    rows(1) = right
    places.locate(0, 2)
    places.pointTo(a, 0)
    places.pointTo(b, 1)
    ordering.compare(a, b)
  }
}

private object RowComparator {
  private val CheckEvery = 4096
}
