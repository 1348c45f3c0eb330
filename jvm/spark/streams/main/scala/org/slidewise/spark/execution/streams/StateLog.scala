package org.slidewise.spark.execution.streams

import java.util.LinkedHashMap

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.execution.rows.RowsByPosition
import org.slidewise.spark.expressions.RowStructure

/**
 * A queue of one key's rows, in blocks, with random access by position. A full block is written to the state store when memory is
 * short or the key is closed; the last block, which is not full, is part of the key's header. A block that is released earlier is
 * never written.
 *
 * Memory: the bytes that `memory` grants, at most [[StateLog.BytesInMemory]]; regardless of the grant, a few blocks of
 * [[StateLog.RowsABlock]] rows.
 *
 * @param section
 *   the section of the blocks; a block's number is its first position divided by [[StateLog.RowsABlock]]
 */
final private[streams] class StateLog(
    cells: KeyCells,
    section: Int,
    structure: RowStructure,
    memory: BlockMemory
) {
  import StateLog._

  private[this] var firstPosition, endPosition = 0L
  private[this] var open = new PendingBlock(0)

  // Blocks below this number were in the store when the key was opened. Those in `stored` were written since.
  private[this] var storedUntil = 0L
  private[this] val stored = new java.util.HashSet[Long]

  private[this] val blocks = new LinkedHashMap[Long, PendingBlock](64, 0.75f, true)
  private[this] var bytes = 0L

  // A reader whose epoch differs must look its block up again.
  private[this] var epoch = 0L

  /** The position of the oldest row. */
  def first: Long = firstPosition

  /** One past the position of the newest row. */
  def end: Long = endPosition

  def append(row: UnsafeRow): Unit = {
    if (open.count > 0 && endPosition % RowsABlock == 0) {
      remember(numberOf(open.first), open)
      open = new PendingBlock(endPosition)
    }
    open.append(row)
    endPosition += 1
  }

  private def remember(number: Long, block: PendingBlock): Unit = {
    blocks.put(number, block)
    bytes += block.size
    val room = memory.upTo(math.min(bytes, BytesInMemory), this)
    if (bytes > room) shrinkTo(room)
  }

  /** Writes the least recently read blocks until at most `room` bytes or a few blocks are held, and returns the bytes held. */
  def shrinkTo(room: Long): Long = {
    val eldest = blocks.entrySet.iterator
    while (bytes > room && blocks.size > FewBlocks) {
      val entry = eldest.next()
      write(entry.getKey, entry.getValue)
      bytes -= entry.getValue.size
      eldest.remove()
    }
    bytes
  }

  /** Releases the rows before `position`, which will not be read again. */
  def release(position: Long): Unit = if (position > firstPosition) {
    var number = numberOf(firstPosition)
    val until = numberOf(math.min(position, endPosition))
    checkMany(number, until)
    while (number < until) {
      val block = blocks.remove(number)
      if (block != null) bytes -= block.size
      if (isStored(number)) {
        cells.remove(section, number)
        stored.remove(number)
      }
      number += 1
    }
    firstPosition = position
    if (position >= endPosition) open = new PendingBlock(endPosition)
  }

  /** Fails if the last of many blocks to remove is missing in the store, which damaged positions would cause. */
  private def checkMany(number: Long, until: Long): Unit =
    if (until - number > ManyBlocks && isStored(until - 1) && cells.get(section, until - 1) == null)
      throw new CorruptState(s"block ${until - 1} is missing")

  private def isStored(number: Long) = number < storedUntil || stored.contains(number)

  private def write(number: Long, block: PendingBlock): Unit = if (!isStored(number)) {
    cells.put(section, number, block.first, block.end, block.toBytes(0))
    stored.add(number)
  }

  private def blockAt(position: Long): PendingBlock =
    if (position >= open.first) open
    else {
      val number = numberOf(position)
      val found = blocks.get(number)
      if (found != null) found
      else {
        val value = cells.get(section, number)
        if (value == null) throw new CorruptState(s"rows at position $position are missing")
        val end = value.getLong(StateCells.HighField)
        val block = PendingBlock.of(end, value.getBinary(StateCells.DataField), structure)
        if (block.end > (number + 1) * RowsABlock || numberOf(block.first) != number)
          throw new CorruptState(s"block $number has the rows from ${block.first} to ${block.end}")
        remember(number, block)
        block
      }
    }

  /** Writes all blocks but the last, and returns the rows of the last that are still needed. */
  def close(): Array[Byte] = {
    blocks.forEach((number, block) => write(number, block))
    forget()
    if (open.count == 0) PendingBlock.Empty else open.toBytes(math.max(0L, firstPosition - open.first).toInt)
  }

  /** Continues a log that was closed with `rest`. */
  def reopen(first: Long, end: Long, rest: Array[Byte]): Unit = {
    forget()
    if (first < 0 || first > end) throw new CorruptState(s"rows from $first to $end")
    firstPosition = first
    endPosition = end
    open = if (rest.length == 0) new PendingBlock(end) else PendingBlock.of(end, rest, structure)
    if (open.first < 0 || open.count > RowsABlock)
      throw new CorruptState(s"${open.count} rows before position $end")
    storedUntil = numberOf(open.first)
  }

  private def forget(): Unit = {
    blocks.clear()
    bytes = 0
    stored.clear()
    epoch += 1
  }

  /** A reader with its own cursor. */
  def reader(): RowsByPosition = new RowsByPosition {
    private[this] val row = new UnsafeRow(structure.fields)
    private[this] var block: PendingBlock = _
    private[this] var inEpoch = -1L

    override def apply(position: Long): UnsafeRow = {
      if (inEpoch != epoch || position < block.first || position >= block.end) {
        block = blockAt(position)
        inEpoch = epoch
        if (position < block.first || position >= block.end)
          throw new CorruptState(s"the row at position $position is missing")
      }
      block.pointTo(row, (position - block.first).toInt)
    }
  }
}

private[streams] object StateLog {
  val RowsABlock = 128L
  val BytesInMemory: Long = 8L << 20
  private val FewBlocks = 4
  private val ManyBlocks = 64

  private def numberOf(position: Long) = position / RowsABlock
}
