package org.slidewise.spark.execution.streams

import java.nio.ByteBuffer

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.expressions.RowStructure

/**
 * The rows of one key that wait for the watermark, ordered by time and, within one time, by arrival.
 *
 * They are kept in blocks, like the leaves of a B-tree. A row that arrives changes only the block of its time, and rows are
 * taken from the oldest blocks. The last block is part of the key's header; the others are in the state store.
 *
 * Memory: the block that is read, the block that is written, and 20 bytes for each block.
 *
 * @param timeField
 *   the ordinal of the event time, in microseconds
 */
final private[streams] class PendingRows(cells: KeyCells, structure: RowStructure, timeField: Int) {
  import PendingRows._

  // Blocks in the store, oldest first.
  private[this] val stored = new ArrayBuffer[StoredBlock]
  private[this] var tail = new PendingBlock(0)
  private[this] var nextNumber = 0L

  private[this] val row, tailRow = new UnsafeRow(structure.fields)
  private[this] var reading: PendingBlock = _
  private[this] var index = 0

  private def timeOf(row: UnsafeRow): Long = row.getLong(timeField)

  private def tailTime(at: Int): Long = timeOf(tail.pointTo(tailRow, at))

  def isEmpty: Boolean = stored.isEmpty && tail.count == 0

  def count: Long = stored.iterator.map(_.count.toLong).sum + tail.count

  /** The time of the oldest row, or `Long.MaxValue`. */
  def oldest: Long =
    if (stored.nonEmpty) stored.head.first else if (tail.count > 0) tailTime(0) else Long.MaxValue

  /** Begins to take rows from the old end. */
  def startTaking(): Unit = {
    reading = null
    index = 0
  }

  /** The oldest row that has not been taken, if it is not after `until`, or null. Reuses the returned object. */
  def head(until: Long): UnsafeRow = {
    if (reading == null || index == reading.count) {
      if (oldest > until) reading = null else nextBlock()
    }
    if (reading == null) null
    else {
      reading.pointTo(row, index)
      if (timeOf(row) > until) null else row
    }
  }

  private def nextBlock(): Unit = {
    index = 0
    reading = if (stored.nonEmpty) {
      val block = stored.remove(0)
      val read = load(block)
      cells.remove(StateCells.Pending, block.number)
      read
    } else if (tail.count > 0) {
      val read = tail
      tail = new PendingBlock(0)
      read
    } else null
  }

  private def load(block: StoredBlock): PendingBlock = {
    val rows = PendingBlock.of(0, cells.data(StateCells.Pending, block.number), structure)
    if (rows.count != block.count || timeOf(rows.pointTo(row, 0)) != block.first)
      throw new CorruptState(
        s"pending block ${block.number} has ${rows.count} rows, and ${block.count} are announced"
      )
    rows
  }

  def take(): Unit = index += 1

  /** Puts back the rows of the last block that have not been taken. */
  def stopTaking(): Unit = {
    if (reading != null && index < reading.count) {
      val rest = PendingBlock.of(0, reading.toBytes(index), structure)
      if (stored.isEmpty && tail.count == 0) tail = rest else store(rest, 0)
    }
    startTaking()
  }

  private def store(block: PendingBlock, at: Int): Unit = {
    val first = timeOf(block.pointTo(row, 0))
    val last = timeOf(block.pointTo(row, block.count - 1))
    cells.put(StateCells.Pending, nextNumber, first, last, block.toBytes(0))
    stored.insert(at, new StoredBlock(nextNumber, first, block.count))
    nextNumber += 1
  }

  /** Adds rows that are ordered by time. Each goes after all rows of the same time. */
  def addAll(rows: RowSource): Unit = if (rows.head != null) {
    var place = 0
    while (rows.head != null && place < stored.size) {
      val until =
        if (place + 1 < stored.size) stored(place + 1).first
        else if (tail.count > 0) tailTime(0)
        else Long.MaxValue
      if (timeOf(rows.head) < until) place = mergeInto(place, rows, until) else place += 1
    }
    if (rows.head != null) mergeIntoTail(rows)
  }

  /** Merges rows before `until` into the stored block at `place`, and returns the place after the resulting blocks. */
  private def mergeInto(place: Int, rows: RowSource, until: Long): Int = {
    val old = stored.remove(place)
    val block = load(old)
    cells.remove(StateCells.Pending, old.number)
    var at = place
    var merged = new PendingBlock(0)
    merge(block, rows, until) { next =>
      if (isFull(merged)) {
        store(merged, at)
        at += 1
        merged = new PendingBlock(0)
      }
      merged.append(next)
    }
    store(merged, at)
    at + 1
  }

  private def mergeIntoTail(rows: RowSource): Unit = {
    val block = tail
    tail = new PendingBlock(0)
    if (block.count == 0 || lastTime(block) <= timeOf(rows.head)) {
      tail = block // the common case: nothing moves
      while (rows.head != null) {
        appendToTail(rows.head)
        rows.advance()
      }
    } else merge(block, rows, Long.MaxValue)(appendToTail)
  }

  private def lastTime(block: PendingBlock) = timeOf(block.pointTo(tailRow, block.count - 1))

  private def appendToTail(next: UnsafeRow): Unit = {
    if (isFull(tail)) {
      store(tail, stored.size)
      tail = new PendingBlock(0)
    }
    tail.append(next)
  }

  private def merge(block: PendingBlock, rows: RowSource, until: Long)(append: UnsafeRow => Unit): Unit = {
    val old = new UnsafeRow(structure.fields)
    var i = 0
    while (i < block.count) {
      block.pointTo(old, i)
      while (rows.head != null && timeOf(rows.head) < timeOf(old)) {
        append(rows.head)
        rows.advance()
      }
      append(old)
      i += 1
    }
    while (rows.head != null && timeOf(rows.head) < until) {
      append(rows.head)
      rows.advance()
    }
  }

  private def isFull(block: PendingBlock) = block.count >= RowsABlock || block.size >= BytesABlock

  /** Writes the data that [[reopen]] reads. */
  def writeTo(out: StateWriter): Unit = {
    out.long(nextNumber)
    out.int(stored.size)
    stored.foreach { block =>
      out.long(block.number)
      out.long(block.first)
      out.int(block.count)
    }
    out.bytes(tail.toBytes(0))
  }

  def reopen(in: ByteBuffer): Unit = {
    clear()
    nextNumber = in.getLong()
    val blocks = in.getInt()
    var oldest = Long.MinValue
    var i = 0
    while (i < blocks) {
      val block = new StoredBlock(in.getLong(), in.getLong(), in.getInt())
      if (block.number < 0 || block.number >= nextNumber || block.count < 1 || block.first < oldest)
        throw new CorruptState(s"pending block ${block.number} of $nextNumber")
      stored += block
      oldest = block.first
      i += 1
    }
    val rest = StateWriter.readBytes(in)
    tail = if (rest.length == 0) new PendingBlock(0) else PendingBlock.of(0, rest, structure)
  }

  def clear(): Unit = {
    stored.clear()
    tail = new PendingBlock(0)
    nextNumber = 0
    startTaking()
  }
}

private[streams] object PendingRows {
  val RowsABlock = 512
  val BytesABlock: Int = 64 << 10

  final private class StoredBlock(val number: Long, val first: Long, val count: Int)
}

/** A cursor over rows: the current one, or null at the end. */
private[streams] trait RowSource {
  def head: UnsafeRow
  def advance(): Unit
}
