package org.slidewise.spark.execution.sorting

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

import org.slidewise.spark.execution.rows.{RowChunk, RowLog}

/** Where the rows of a frozen log lie, by their numbers. */
abstract private[sorting] class RowAddresses {

  /** Puts where each of the rows `order(from) … order(until - 1)` starts into the arrays. */
  def locate(order: Array[Int], from: Int, until: Int, bases: Array[AnyRef], offsets: Array[Long]): Unit
}

/** As they were noted when the rows came. */
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

/** For rows of one size: found from their numbers, without a look at memory that is not in the cache. */
final private[sorting] class ComputedAddresses(log: RowLog) extends RowAddresses {
  import ComputedAddresses.BlockBits

  private[this] val size = log.bytesARow.toLong
  private[this] val chunks = log.eachChunk.toArray
  private[this] val firstRows = chunks.map(_.firstRow.toInt) :+ Int.MaxValue
  private[this] val pages = chunks.map(_.page.getBaseObject)
  private[this] val starts = chunks.map(chunk => chunk.page.getBaseOffset - chunk.firstRow * size)

  // The chunk of the first row of each block of rows; chunks are larger than blocks but for the last.
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

/** Where sorted rows lie, found for some at a time. */
final private[execution] class RowPlaces(log: RowLog, addresses: RowAddresses, order: Array[Int])
    extends RowFinisher {
  private[this] var seen = 0L
  private[this] var first = 0

  /** Where the rows that were last asked for start. */
  val bases = new Array[AnyRef](RowPlaces.Together)
  val offsets = new Array[Long](RowPlaces.Together)

  /** Finds the rows at the places `from until until`, at most [[RowPlaces.Together]]. */
  def locate(from: Int, until: Int): Unit = {
    first = from
    addresses.locate(order, from, until, bases, offsets)
  }

  /** Lets `row` be the row at `place`, which was among the last that were located. */
  def pointTo(row: UnsafeRow, place: Int): Unit = {
    val base = bases(place - first)
    val offset = offsets(place - first)
    val size = log.bytesARow
    if (size >= 0) row.pointTo(base, offset, size)
    else row.pointTo(base, offset, Platform.getLong(base, offset - RowChunk.SizeBytes).toInt)
  }

  /** Only touches the rows: reads that do not wait for each other bring them into the cache together. */
  override def finish(from: Int): Int = {
    val until = math.min(from + RowPlaces.Together, order.length)
    locate(from, until)
    var i = 0
    while (i < until - from) {
      seen += Platform.getLong(bases(i), offsets(i))
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
