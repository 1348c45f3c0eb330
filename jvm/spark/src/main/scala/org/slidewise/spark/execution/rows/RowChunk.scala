package org.slidewise.spark.execution.rows

import scala.collection.mutable.ArrayBuilder

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.memory.MemoryBlock

/**
 * Consecutive rows of a [[RowLog]]: in a page of memory, or in a spill file.
 *
 * Rows of one size are stored back to back. Rows of different sizes are each preceded by their size in eight bytes.
 *
 * Memory beside the page: rows of different sizes have an index with the place of every [[RowChunk.IndexStep]]th row, about
 * 1 % of the rows' bytes. A spill file has 16 bytes for each block of [[RowChunk.BlockBytes]].
 *
 * @param rowSize
 *   the bytes of a row, or -1 if rows differ in size
 */
final private[execution] class RowChunk(var page: MemoryBlock, rowSize: Int) {
  import RowChunk._

  var firstRow = 0L
  var pins = 0
  private[this] var spilled: SpillFile = _
  private[this] var blockRows: Array[Int] = _ // the first row of each block of the file
  private[this] var count = 0
  private[this] var used = 0
  private[this] var newest = 0
  private[this] val indexed = rowSize < 0
  private[this] var index = if (indexed) new Array[Int](16) else null

  def endRow: Long = firstRow + count

  /** The file that holds the rows; null while they are in memory. */
  def file: SpillFile = spilled

  /** The start of the newest row, its size included, in bytes from the chunk's start. */
  def newestPlace: Int = newest

  /** Adds a copy of `row`. Returns false if there is no room for the copy. */
  def append(row: UnsafeRow): Boolean = {
    val size = row.getSizeInBytes
    val needed = spaceFor(size, indexed)
    val fits = used.toLong + needed <= page.size && count < Int.MaxValue
    if (fits) {
      val base = page.getBaseObject
      var at = page.getBaseOffset + used
      if (indexed) {
        remember(count, used)
        Platform.putLong(base, at, size.toLong)
        at += SizeBytes
      }
      RowBytes.copy(row, base, at)
      newest = used
      used += needed
      count += 1
    }
    fits
  }

  /** Reserves room for rows. Returns false if the page has not enough room; see [[RowLog.reserve]]. */
  def reserve(rows: Int, starts: Array[Int]): Boolean = {
    val fits = used.toLong + starts(rows) <= page.size && count <= Int.MaxValue - rows
    if (fits) {
      if (indexed) {
        var row = 0
        while (row < rows) {
          remember(count + row, used + starts(row))
          row += 1
        }
      }
      newest = used + starts(rows - 1)
      used += starts(rows)
      count += rows
    }
    fits
  }

  private def remember(row: Int, place: Int): Unit = if (row % IndexStep == 0) {
    val i = row / IndexStep
    if (i == index.length) index = java.util.Arrays.copyOf(index, 2 * i)
    index(i) = place
  }

  /** The places of every [[RowChunk.IndexStep]]th row, in bytes from the chunk's start; only in memory. */
  def places: Array[Int] = index

  /**
   * Copies the rows to a file. The caller frees the page.
   *
   * @param beforeEach
   *   called before each block
   */
  def writeToFile(beforeEach: Runnable): Unit = {
    val rows, ends = ArrayBuilder.make[Int]
    var row, place = 0
    while (row < count) {
      rows += row
      val start = place
      while ({
        place += spaceAt(place)
        row += 1
        row < count && place + spaceAt(place) - start <= BlockBytes
      }) {}
      ends += place
    }
    spilled = new SpillFile(page.getBaseObject, page.getBaseOffset, ends.result(), beforeEach)
    blockRows = rows.result()
    index = null
  }

  private def spaceAt(place: Int): Int =
    if (indexed) spaceFor(Platform.getLong(page.getBaseObject, page.getBaseOffset + place).toInt, indexed)
    else rowSize

  /** The block of the file that holds `row` (counted within the chunk). */
  def blockOf(row: Int): Int = {
    val found = java.util.Arrays.binarySearch(blockRows, row)
    if (found >= 0) found else -found - 2
  }

  /** The rows of a block, counted within the chunk: the first, and one past the last. */
  def firstRowOf(block: Int): Int = blockRows(block)
  def endRowOf(block: Int): Int = if (block + 1 < blockRows.length) blockRows(block + 1) else count

  def deleteFile(): Unit = if (spilled != null) {
    spilled.delete()
    spilled = null
  }

  /** Empties the chunk for rows that start at `row`. */
  def restart(row: Long): Unit = {
    firstRow = row
    count = 0
    used = 0
  }
}

private[execution] object RowChunk {
  val IndexStep = 32
  val SizeBytes = 8

  /** The size of a block in a spill file, in bytes; a row that is larger is a block of its own. */
  val BlockBytes: Int = 128 << 10

  def spaceFor(rowBytes: Int, indexed: Boolean): Int = if (indexed) rowBytes + SizeBytes else rowBytes
}
