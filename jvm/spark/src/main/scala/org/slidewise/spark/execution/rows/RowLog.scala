package org.slidewise.spark.execution.rows

import java.util.ArrayDeque

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.memory.{MemoryConsumer, SparkOutOfMemoryError}
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.unsafe.memory.MemoryBlock

import org.slidewise.spark.execution.task.{MeasuredResource, TaskResources}

/**
 * A queue of rows that can be read at any position between its ends, any number of times.
 *
 * Rows lie in chunks. Memory comes from the task's memory manager. When the manager requests memory, chunks without a reader are
 * spilled to files, the newest first, because they are needed last.
 *
 * Memory: the rows from the last [[release]] to the last [[append]], at most one chunk more at the old end, and one free
 * page. A reader of a spilled chunk holds one block of the file on the heap: [[RowChunk.BlockBytes]], or one row if that is
 * larger. See [[RowChunk]] for its index.
 *
 * Not safe for concurrent use. A request to spill from another thread than the last that appended is declined.
 *
 * @param rowSize
 *   the bytes of a row, or -1 if rows differ in size
 * @param pageBytes
 *   the maximum size of a page in bytes, unless a row is larger. Each reader, and the newest row, keep one page from being
 *   spilled. A page is not larger than Spark's pages, many of which fit into each task's share of the memory
 */
final private[execution] class RowLog(
    resources: TaskResources,
    fields: Int,
    rowSize: Int,
    pageBytes: Long = RowLog.LargestPage
) extends MemoryConsumer(resources.memory, RowLog.SmallestPage, resources.memory.getTungstenMemoryMode)
    with MeasuredResource {
  import RowLog._

  private[this] val memory = resources.memory
  private[this] val largestPage = math.max(SmallestPage, math.min(pageBytes, memory.pageSizeBytes))
  private[this] var owner = Thread.currentThread()
  private[this] val chunks = new ArrayDeque[RowChunk]
  private[this] val readers = ArrayBuffer.empty[RowLogReader]
  private[this] var tail: RowChunk = _
  private[this] var spare: MemoryBlock = _
  private[this] var nextPage = SmallestPage
  private[this] var rows = 0L
  private[this] var onDisk = 0L
  private[this] var peak = 0L
  private[this] var frozen: Runnable = _

  /** One past the newest row's position. */
  def end: Long = rows

  /** Bytes written to spill files so far. */
  override def spilledBytes: Long = onDisk

  /** The most memory held at any time, in bytes. */
  override def peakMemory: Long = peak

  /** Adds a copy of `row` at position [[end]]. */
  def append(row: UnsafeRow): Unit = {
    owner = Thread.currentThread()
    if (tail == null || !tail.append(row)) {
      addChunk(RowChunk.spaceFor(row.getSizeInBytes, rowSize < 0))
      tail.append(row)
    }
    rows += 1
  }

  /**
   * Makes room for rows from position [[end]] on, which the caller writes. If rows differ in size, the caller also writes the
   * size of each row into the eight bytes before the row.
   *
   * @param starts
   *   the start of each row, size included, and the end of the last row, in bytes from the first start
   * @return
   *   the address of the first row
   */
  def reserve(count: Int, starts: Array[Int]): Long = {
    owner = Thread.currentThread()
    if (tail == null || !tail.reserve(count, starts)) {
      addChunk(starts(count))
      tail.reserve(count, starts)
    }
    rows += count
    newestAddress - starts(count - 1)
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
      nextPage = math.min(nextPage * 2, largestPage)
      page
    } catch {
      case _: SparkOutOfMemoryError if nextPage > SmallestPage =>
        nextPage = SmallestPage
        allocatePage(math.max(nextPage, atLeast))
    }

  /** The address of the newest row, or of the size before the row if rows differ in size; valid until a chunk is spilled. */
  def newestAddress: Long = {
    val page = tail.page
    memory.encodePageNumberAndOffset(page, page.getBaseOffset + tail.newestPlace)
  }

  /** The page of an address, and the place in it. */
  def pageOf(address: Long): AnyRef = memory.getPage(address)
  def placeOf(address: Long): Long = memory.getOffsetInPage(address)

  /** The chunks, oldest first; all in memory while the log is frozen. */
  def eachChunk: Seq[RowChunk] = chunks.toArray(new Array[RowChunk](0)).toSeq

  /** The bytes of a row, or -1 if rows differ in size. */
  def bytesARow: Int = rowSize

  /** A row object that can be pointed to a row of this log. */
  def newRow(): UnsafeRow = new UnsafeRow(fields)

  /**
   * Stops spilling chunks from now on, so that addresses stay valid.
   *
   * @param onSpill
   *   called when the memory manager asks for memory; may close the log
   */
  def freeze(onSpill: Runnable): Unit = frozen = onSpill

  /** Drops the rows before `position`, which must not be read any more. */
  def release(position: Long): Unit =
    while (!chunks.isEmpty && (chunks.peekFirst ne tail) && chunks.peekFirst.endRow <= position) {
      val chunk = chunks.pollFirst()
      if (chunk.pins > 0) readers.foreach(_.leave(chunk))
      discard(chunk)
    }

  /** Drops all rows; the next is at position 0. */
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
    chunk.deleteFile()
  }

  /** Gives all memory and files back. */
  override def close(): Unit = {
    readers.foreach(_.leave())
    while (!chunks.isEmpty) discard(chunks.pollFirst())
    tail = null
    freeSpare()
  }

  /** Gives all memory and files back, but for the page that holds `row`, which [[close]] gives back. */
  def closeBut(row: UnsafeRow): Unit = {
    val kept = eachChunk.find(chunk => chunk.page != null && holds(chunk.page, row))
    kept.foreach(chunks.remove(_))
    close()
    kept.foreach(chunks.addLast)
  }

  private def holds(page: MemoryBlock, row: UnsafeRow): Boolean = {
    val place = row.getBaseOffset - page.getBaseOffset
    (row.getBaseObject eq page.getBaseObject) && place >= 0 && place < page.size
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
    if (frozen != null) {
      val before = getUsed
      frozen.run()
      before - getUsed
    } else if (Thread.currentThread() ne owner) 0L
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
    chunk.writeToFile(() => resources.stopIfCancelled())
    chunk.page = null
    val freed = page.size
    freePage(page)
    onDisk += chunk.file.bytesOnDisk
    resources.countSpill(freed, chunk.file.bytesOnDisk)
    freed
  }

  /** A reader of this log, with a position of its own. */
  def reader(): RowLogReader = {
    val reader = new RowLogReader(this, fields, rowSize)
    readers += reader
    reader
  }

  /** The chunk with the row at `position`. */
  private[rows] def chunkOf(position: Long): RowChunk =
    if (tail != null && position >= tail.firstRow && position < tail.endRow) tail
    else {
      val each = chunks.iterator
      var chunk = each.next()
      while (position >= chunk.endRow) chunk = each.next()
      if (position < chunk.firstRow)
        throw new IllegalStateException(
          s"the row at $position was released: the oldest is at ${chunk.firstRow}"
        )
      chunk
    }
}

private[execution] object RowLog {

  /** A log for rows of the given attributes. */
  def of(attributes: Seq[Attribute], resources: TaskResources, pageBytes: Long = LargestPage): RowLog = {
    val fixed = attributes.forall(a => UnsafeRow.isFixedLength(a.dataType))
    val size = UnsafeRow.calculateBitSetWidthInBytes(attributes.size) + 8 * attributes.size
    new RowLog(resources, attributes.size, if (fixed) size else -1, pageBytes)
  }

  private val SmallestPage = 64L << 10
  private val LargestPage = 16L << 20

  /** The largest page, in bytes, of a log whose rows are read in order while memory is short. */
  val SmallPage: Long = 1L << 20
}
