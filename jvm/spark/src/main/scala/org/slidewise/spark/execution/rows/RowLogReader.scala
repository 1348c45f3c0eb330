package org.slidewise.spark.execution.rows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** Rows that can be read by position, any number of times. */
private[execution] trait RowsByPosition {

  /** The row at `position`, in a row object that may be reused by the next call. */
  def apply(position: Long): UnsafeRow
}

/**
 * Reads the rows of a log, with a position of its own. Keeps the chunk that it reads from being spilled.
 *
 * Memory: one block of the file of a spilled chunk.
 *
 * @param rowSize
 *   the bytes of a row, or -1 if rows differ in size
 */
final private[execution] class RowLogReader(log: RowLog, fields: Int, rowSize: Int) extends RowsByPosition {
  private[this] val row = new UnsafeRow(fields)
  private[this] var chunk: RowChunk = _
  private[this] var base: AnyRef = _
  private[this] var origin = 0L

  // The positions of the rows at `base`: the rows of the chunk, or of one block of its file. If `end` is -1, the rows end with
  // the chunk, which may grow.
  private[this] var first, end = 0L
  private[this] var block = Array.emptyByteArray
  private[this] var blockPlaces = Array.emptyIntArray

  private[this] var next, nextPlace = 0

  /** The row at `position`, in a row object that is reused; valid until the next call or [[RowLog.release]]. */
  override def apply(position: Long): UnsafeRow = {
    if (chunk == null || position < first || position >= (if (end < 0) chunk.endRow else end))
      moveTo(position)
    val index = (position - first).toInt
    if (rowSize >= 0) row.pointTo(base, origin + index.toLong * rowSize, rowSize)
    else {
      if (index != next) seek(index)
      val size = sizeAt(nextPlace)
      row.pointTo(base, origin + nextPlace + RowChunk.SizeBytes, size)
      nextPlace += size + RowChunk.SizeBytes
      next = index + 1
    }
    row
  }

  private def seek(index: Int): Unit = {
    val known = index - index % RowChunk.IndexStep
    if (index < next || known > next) {
      next = known
      nextPlace = (if (end < 0) chunk.places else blockPlaces) (known / RowChunk.IndexStep)
    }
    while (next < index) {
      nextPlace += sizeAt(nextPlace) + RowChunk.SizeBytes
      next += 1
    }
  }

  private def sizeAt(place: Int): Int = Platform.getLong(base, origin + place).toInt

  private def moveTo(position: Long): Unit = {
    val same = chunk != null && position >= chunk.firstRow && position < chunk.endRow
    val to = if (same) chunk else log.chunkOf(position)
    leave()
    if (to.page != null) {
      base = to.page.getBaseObject
      origin = to.page.getBaseOffset
      first = to.firstRow
      end = -1L
    } else load(to, to.blockOf((position - to.firstRow).toInt))
    chunk = to
    chunk.pins += 1
    next = 0
    nextPlace = 0
  }

  private def load(from: RowChunk, number: Int): Unit = {
    val size = from.file.size(number)
    if (block.length < size) block = new Array[Byte](size)
    from.file.read(number, block)
    base = block
    origin = Platform.BYTE_ARRAY_OFFSET.toLong
    first = from.firstRow + from.firstRowOf(number)
    end = from.firstRow + from.endRowOf(number)
    if (rowSize < 0) indexBlock((end - first).toInt)
  }

  private def indexBlock(rows: Int): Unit = {
    val length = (rows - 1) / RowChunk.IndexStep + 1
    if (blockPlaces.length < length) blockPlaces = new Array[Int](length)
    var row, place = 0
    while (row < rows) {
      if (row % RowChunk.IndexStep == 0) blockPlaces(row / RowChunk.IndexStep) = place
      place += sizeAt(place) + RowChunk.SizeBytes
      row += 1
    }
  }

  /** Unpins a chunk if it is the current one. */
  def leave(released: RowChunk): Unit = if (chunk eq released) leave()

  /** Unpins the current chunk, so that it can be spilled. */
  def leave(): Unit = if (chunk != null) {
    chunk.pins -= 1
    chunk = null
  }
}
