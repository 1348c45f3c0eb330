package org.slidewise.spark.execution.rows

import java.util.ArrayDeque

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.spark.memory.{MemoryConsumer, SparkOutOfMemoryError}
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.memory.MemoryBlock

import org.slidewise.spark.execution.task.TaskResources

/**
 * A queue of rows that can be read at any position between its ends, any number of times.
 *
 * Rows lie in chunks. Memory comes from the task's memory manager; when that asks for it back, chunks that no
 * reader stands in go to files, the newest first, for they are needed last. A reader of a spilled chunk holds one
 * chunk's bytes of its own.
 *
 * Holds the rows from the last [[release]] to the last [[append]], at most one chunk more at the old end, and one
 * free page. To be used by one thread at a time; a request to spill that comes from another than the last that
 * appended is declined.
 *
 * @param rowSize
 *   bytes a row, or -1 if rows differ
 */
final private[execution] class RowLog(
    resources: TaskResources,
    fields: Int,
    rowSize: Int
) extends MemoryConsumer(resources.memory, RowLog.SmallestPage, resources.memory.getTungstenMemoryMode) {
  import RowLog._

  private[this] val memory = resources.memory
  private[this] var owner = Thread.currentThread()
  private[this] val chunks = new ArrayDeque[RowChunk]
  private[this] val readers = ArrayBuffer.empty[Reader]
  private[this] var tail: RowChunk = _
  private[this] var spare: MemoryBlock = _
  private[this] var nextPage = SmallestPage
  private[this] var rows = 0L
  private[this] var onDisk = 0L
  private[this] var peak = 0L
  private[this] var frozen = false

  /** One past the newest row's position. */
  def end: Long = rows

  /** Bytes written to spill files so far. */
  def spilledBytes: Long = onDisk

  /** The most memory held at any time, in bytes. */
  def peakMemory: Long = peak

  /** Adds a copy of `row` at position [[end]]. */
  def append(row: UnsafeRow): Unit = {
    owner = Thread.currentThread()
    if (tail == null || !tail.append(row)) {
      addChunk(RowChunk.spaceFor(row.getSizeInBytes, rowSize < 0))
      tail.append(row)
    }
    rows += 1
  }

  private def addChunk(atLeast: Int): Unit = {
    val page = if (spare != null && spare.size >= atLeast) {
      val reused = spare
      spare = null
      reused
    } else {
      val fresh = newPage(atLeast.toLong)
      peak = math.max(peak, getUsed)
      fresh
    }
    tail = new RowChunk(page, rowSize)
    tail.restart(rows)
    chunks.addLast(tail)
  }

  private def newPage(atLeast: Long): MemoryBlock =
    try {
      val page = allocatePage(math.max(nextPage, atLeast))
      nextPage = math.min(nextPage * 2, LargestPage)
      page
    } catch {
      case _: SparkOutOfMemoryError if nextPage > SmallestPage =>
        nextPage = SmallestPage
        allocatePage(math.max(nextPage, atLeast))
    }

  /** Where the newest row lies, its size before it if rows differ; good while no chunk has been spilled. */
  def newestAddress: Long = {
    val page = tail.page
    memory.encodePageNumberAndOffset(page, page.getBaseOffset + tail.newestPlace)
  }

  /** The page of an address, and the place in it. */
  def pageOf(address: Long): AnyRef = memory.getPage(address)
  def placeOf(address: Long): Long = memory.getOffsetInPage(address)

  /** The chunks, oldest first; all in memory while the log is frozen. */
  def eachChunk: Seq[RowChunk] = chunks.iterator.asScala.toSeq

  /** Bytes a row, or -1 if rows differ. */
  def bytesARow: Int = rowSize

  /** A row to be pointed into this log. */
  def newRow(): UnsafeRow = new UnsafeRow(fields)

  /** Declines to spill from now on, so that addresses stay good. */
  def freeze(): Unit = frozen = true

  /** Lets go of the rows before `position`. */
  def release(position: Long): Unit =
    while (!chunks.isEmpty && (chunks.peekFirst ne tail) && chunks.peekFirst.endRow <= position)
      discard(chunks.pollFirst())

  /** Lets go of all rows; the next is at position 0. */
  def clear(): Unit = {
    readers.foreach(_.leave())
    while (chunks.size > 1) discard(chunks.pollFirst())
    if (tail != null) tail.restart(0L)
    rows = 0
  }

  private def discard(chunk: RowChunk): Unit = {
    if (chunk.page != null) {
      if (spare == null) spare = chunk.page else freePage(chunk.page)
      chunk.page = null
    }
    if (chunk.file != null) {
      chunk.file.delete()
      chunk.file = null
    }
  }

  /** Gives all memory and files back. */
  def close(): Unit = {
    readers.foreach(_.leave())
    while (!chunks.isEmpty) discard(chunks.pollFirst())
    tail = null
    freeSpare()
  }

  private def freeSpare(): Long =
    if (spare == null) 0L
    else {
      val size = spare.size
      freePage(spare)
      spare = null
      size
    }

  override def spill(size: Long, trigger: MemoryConsumer): Long =
    if (frozen || (Thread.currentThread() ne owner)) 0L
    else {
      var freed = freeSpare()
      val each = chunks.descendingIterator
      while (freed < size && each.hasNext) {
        val chunk = each.next()
        if ((chunk ne tail) && chunk.pins == 0 && chunk.page != null) freed += spill(chunk)
      }
      freed
    }

  private def spill(chunk: RowChunk): Long = {
    val page = chunk.page
    chunk.file = new SpillFile(page.getBaseObject, page.getBaseOffset, chunk.bytes)
    chunk.page = null
    freePage(page)
    onDisk += chunk.file.bytesOnDisk
    resources.countSpill(page.size, chunk.file.bytesOnDisk)
    page.size
  }

  /** A reader of this log, with a place of its own. */
  def reader(): Reader = {
    val reader = new Reader
    readers += reader
    reader
  }

  final class Reader extends RowsByPosition {
    private[this] val row = new UnsafeRow(fields)
    private[this] var chunk: RowChunk = _
    private[this] var base: AnyRef = _
    private[this] var origin = 0L
    private[this] var loaded: Array[Byte] = Array.emptyByteArray
    private[this] var next, nextPlace = 0

    /** The row at `position`; the same object each time, and gone with the next call or [[RowLog.release]]. */
    override def apply(position: Long): UnsafeRow = {
      if (chunk == null || position < chunk.firstRow || position >= chunk.endRow) stepInto(chunkOf(position))
      val index = (position - chunk.firstRow).toInt
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

    /** Another reader of the same log. */
    def another(): Reader = reader()

    private def seek(index: Int): Unit = {
      val landmark = chunk.landmark(index)
      if (index < next || landmark > next) {
        next = landmark
        nextPlace = chunk.placeOf(landmark)
      }
      while (next < index) {
        nextPlace += sizeAt(nextPlace) + RowChunk.SizeBytes
        next += 1
      }
    }

    private def sizeAt(place: Int): Int = Platform.getLong(base, origin + place).toInt

    private def stepInto(newChunk: RowChunk): Unit = {
      leave()
      if (newChunk.page != null) {
        base = newChunk.page.getBaseObject
        origin = newChunk.page.getBaseOffset
      } else {
        if (loaded.length < newChunk.bytes) loaded = new Array[Byte](newChunk.bytes)
        newChunk.file.read(loaded)
        base = loaded
        origin = Platform.BYTE_ARRAY_OFFSET.toLong
      }
      chunk = newChunk
      chunk.pins += 1
      next = 0
      nextPlace = 0
    }

    /** Stands nowhere, so that no chunk is kept in memory for this reader's sake. */
    def leave(): Unit = if (chunk != null) {
      chunk.pins -= 1
      chunk = null
    }
  }

  private def chunkOf(position: Long): RowChunk =
    if (tail != null && position >= tail.firstRow && position < tail.endRow) tail
    else {
      val each = chunks.iterator
      var chunk = each.next()
      while (position >= chunk.endRow) chunk = each.next()
      chunk
    }
}

private[execution] object RowLog {

  /** A log for rows of the given attributes. */
  def of(attributes: Seq[Attribute], resources: TaskResources): RowLog = {
    val fixed = attributes.forall(a => UnsafeRow.isFixedLength(a.dataType))
    val size = UnsafeRow.calculateBitSetWidthInBytes(attributes.size) + 8 * attributes.size
    new RowLog(resources, attributes.size, if (fixed) size else -1)
  }

  private val SmallestPage = 64L << 10
  private val LargestPage = 16L << 20
}
