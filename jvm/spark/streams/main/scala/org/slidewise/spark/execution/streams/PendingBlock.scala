package org.slidewise.spark.execution.streams

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.expressions.RowStructure

/** A block of rows in a byte array, each preceded by its size, as in the state store. */
final private[streams] class PendingBlock(begin: Long) {
  private[this] var firstPosition = begin
  private[this] var bytes = PendingBlock.Empty
  private[this] var length = 0
  private[this] var places = new Array[Int](16)
  private[this] var rows = 0

  def count: Int = rows

  /** The position of the block's first row. */
  def first: Long = firstPosition

  /** One past the position of the block's last row. */
  def end: Long = firstPosition + rows

  def size: Int = length

  def append(row: UnsafeRow): Unit = {
    val size = row.getSizeInBytes
    reserve(length + 4 + size)
    Platform.putInt(bytes, Platform.BYTE_ARRAY_OFFSET + length, size)
    row.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET + length + 4L)
    place(length)
    length += 4 + size
  }

  private def reserve(wanted: Int): Unit = if (wanted > bytes.length)
    bytes = java.util.Arrays.copyOf(bytes, math.max(wanted, math.max(256, bytes.length * 2)))

  private def place(at: Int): Unit = {
    if (rows == places.length) places = java.util.Arrays.copyOf(places, rows * 2)
    places(rows) = at
    rows += 1
  }

  /** Points `row` to row number `index` of the block. */
  def pointTo(row: UnsafeRow, index: Int): UnsafeRow = {
    val at = places(index)
    row.pointTo(
      bytes,
      Platform.BYTE_ARRAY_OFFSET + at + 4L,
      Platform.getInt(bytes, Platform.BYTE_ARRAY_OFFSET + at)
    )
    row
  }

  /** The bytes of the rows from number `index` on. */
  def toBytes(index: Int): Array[Byte] =
    if (index >= rows) PendingBlock.Empty else java.util.Arrays.copyOfRange(bytes, places(index), length)

  private def fill(end: Long, content: Array[Byte], structure: RowStructure): PendingBlock = {
    val row = new UnsafeRow(structure.fields)
    bytes = content
    length = content.length
    var at = 0
    while (at < length) {
      val size = PendingBlock.sizeAt(bytes, at, length)
      row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + at + 4L, size)
      structure.check(row)
      place(at)
      at += 4 + size
    }
    firstPosition = end - rows
    this
  }
}

private[streams] object PendingBlock {
  val Empty: Array[Byte] = Array.emptyByteArray

  /** The number of rows in the bytes of a block, which may have none. Fails with [[CorruptState]] if a row is cut off. */
  def countIn(content: Array[Byte]): Int = {
    var rows, at = 0
    while (at < content.length) {
      val size = sizeAt(content, at, content.length)
      if (size % 8 != 0) throw new CorruptState(s"a row has $size bytes")
      at += 4 + size
      rows += 1
    }
    rows
  }

  /** The size of the row at `at`, which lies before `end`. */
  private def sizeAt(content: Array[Byte], at: Int, end: Int): Int = {
    val size = if (end - at < 4) -1 else Platform.getInt(content, Platform.BYTE_ARRAY_OFFSET + at)
    if (size < 0 || size > end - at - 4)
      throw new CorruptState(s"a row of $size bytes is announced, ${end - at - 4} bytes are there")
    size
  }

  /**
   * The block that [[PendingBlock.toBytes]] has written; its last row is before position `end`. Fails with [[CorruptState]] if
   * `content` is not rows of this structure, or if there are none.
   */
  def of(end: Long, content: Array[Byte], structure: RowStructure): PendingBlock = {
    val block = new PendingBlock(end).fill(end, content, structure)
    if (block.count == 0) throw new CorruptState("a block has no rows")
    block
  }
}
