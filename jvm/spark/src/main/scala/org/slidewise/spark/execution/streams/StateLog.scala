package org.slidewise.spark.execution.streams

import java.util.LinkedHashMap

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import org.slidewise.spark.execution.rows.RowsByPosition

/**
 * A queue of rows of one key, in blocks, that can be read at any position between its ends. A block goes to the state store
 * when it is full and has to make room in memory, or when the key is closed; the last one, which is not full, is for the
 * caller to keep. A block that is used up before that is never written.
 *
 * In memory: as much as `memory` lends, at most [[StateLog.BytesInMemory]], and whatever it lends a few blocks, of
 * [[StateLog.RowsABlock]] rows.
 *
 * @param section
 *   where the blocks are kept; a block's number is its first position divided by [[StateLog.RowsABlock]]
 */
final private[streams] class StateLog(cells: KeyCells, section: Int, fields: Int, memory: BlockMemory) {
  import StateLog._

  private[this] var firstPosition, endPosition = 0L
  private[this] var open = new RowBlock(0)

  // Blocks below this number are in the store, if they were there when the key was opened or are in `stored`.
  private[this] var storedUntil = 0L
  private[this] val stored = new java.util.HashSet[Long]

  private[this] val blocks = new LinkedHashMap[Long, RowBlock](64, 0.75f, true)
  private[this] var bytes = 0L

  // Readers notice that what they stand in is gone.
  private[this] var epoch = 0L

  /** The position of the oldest row. */
  def first: Long = firstPosition

  /** One past the position of the newest row. */
  def end: Long = endPosition

  def append(row: UnsafeRow): Unit = {
    if (open.count > 0 && endPosition % RowsABlock == 0) {
      remember(numberOf(open.first), open)
      open = new RowBlock(endPosition)
    }
    open.append(row)
    endPosition += 1
  }

  private def remember(number: Long, block: RowBlock): Unit = {
    blocks.put(number, block)
    bytes += block.size
    val room = memory.upTo(math.min(bytes, BytesInMemory), this)
    if (bytes > room) shrinkTo(room)
  }

  /** Writes what has not been read for longest, until no more than `room` bytes are held, or a few blocks; how many are. */
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

  /** Rows before `position` will not be read again. */
  def release(position: Long): Unit = if (position > firstPosition) {
    var number = numberOf(firstPosition)
    val until = numberOf(math.min(position, endPosition))
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
    if (position >= endPosition) open = new RowBlock(endPosition)
  }

  private def isStored(number: Long) = number < storedUntil || stored.contains(number)

  private def write(number: Long, block: RowBlock): Unit = if (!isStored(number)) {
    cells.put(section, number, block.first, block.end, block.toBytes(0))
    stored.add(number)
  }

  private def blockAt(position: Long): RowBlock =
    if (position >= open.first) open
    else {
      val number = numberOf(position)
      val found = blocks.get(number)
      if (found != null) found
      else {
        val value = cells.get(section, number)
        if (value == null) throw new CorruptState(s"rows at position $position are missing")
        val block = RowBlock.of(value.getLong(StateCells.HighField), value.getBinary(StateCells.DataField))
        remember(number, block)
        block
      }
    }

  /** Writes all blocks but the last and returns the rows of that which are still needed. */
  def close(): Array[Byte] = {
    blocks.forEach((number, block) => write(number, block))
    forget()
    if (open.count == 0) RowBlock.Empty else open.toBytes(math.max(0L, firstPosition - open.first).toInt)
  }

  /** Goes on where a log was closed with `rest`. */
  def reopen(first: Long, end: Long, rest: Array[Byte]): Unit = {
    forget()
    firstPosition = first
    endPosition = end
    open = if (rest.length == 0) new RowBlock(end) else RowBlock.of(end, rest)
    storedUntil = numberOf(open.first)
  }

  private def forget(): Unit = {
    blocks.clear()
    bytes = 0
    stored.clear()
    epoch += 1
  }

  /** A reader with a place of its own. */
  def reader(): RowsByPosition = new RowsByPosition {
    private[this] val row = new UnsafeRow(fields)
    private[this] var block: RowBlock = _
    private[this] var inEpoch = -1L

    override def apply(position: Long): UnsafeRow = {
      if (inEpoch != epoch || position < block.first || position >= block.end) {
        block = blockAt(position)
        inEpoch = epoch
      }
      block.pointTo(row, (position - block.first).toInt)
    }
  }
}

private[streams] object StateLog {
  val RowsABlock = 128L
  val BytesInMemory: Long = 8L << 20
  private val FewBlocks = 4

  private def numberOf(position: Long) = position / RowsABlock
}
