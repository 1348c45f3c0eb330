package org.slidewise.spark.execution.rows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.memory.MemoryBlock

/**
 * Consecutive rows of a [[RowLog]]: in a page of memory, or in a spill file.
 *
 * Rows of one size lie back to back. Rows of different sizes have their size in the eight bytes before them, and
 * the place of every [[RowChunk.IndexStep]]th is remembered, so that any row is found in a bounded number of steps.
 *
 * @param rowSize
 *   bytes a row, or -1 if rows differ
 */
final private[execution] class RowChunk(var page: MemoryBlock, rowSize: Int) {
  import RowChunk._

  var firstRow = 0L
  var pins = 0
  var file: SpillFile = _
  private[this] var count = 0
  private[this] var used = 0
  private[this] var newest = 0
  private[this] val indexed = rowSize < 0
  private[this] var index = if (indexed) new Array[Int](16) else null

  def endRow: Long = firstRow + count
  def bytes: Int = used

  /** Where the newest row starts, its size included, in bytes from the chunk's start. */
  def newestPlace: Int = newest

  /** Adds a copy of `row`, if there is room for it. */
  def append(row: UnsafeRow): Boolean = {
    val size = row.getSizeInBytes
    val needed = spaceFor(size, indexed)
    val fits = used + needed <= page.size && count < Int.MaxValue
    if (fits) {
      val base = page.getBaseObject
      var at = page.getBaseOffset + used
      if (indexed) {
        remember(count, used)
        Platform.putLong(base, at, size.toLong)
        at += SizeBytes
      }
      Platform.copyMemory(row.getBaseObject, row.getBaseOffset, base, at, size.toLong)
      newest = used
      used += needed
      count += 1
    }
    fits
  }

  private def remember(row: Int, place: Int): Unit = if (row % IndexStep == 0) {
    val i = row / IndexStep
    if (i == index.length) index = java.util.Arrays.copyOf(index, 2 * i)
    index(i) = place
  }

  /** The nearest remembered row at or before `row` (counted within the chunk). */
  def landmark(row: Int): Int = row - row % IndexStep

  /** Where the landmark `row` starts, in bytes from the chunk's start. */
  def placeOf(row: Int): Int = index(row / IndexStep)

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

  def spaceFor(rowBytes: Int, indexed: Boolean): Int = if (indexed) rowBytes + SizeBytes else rowBytes
}
