package org.slidewise.spark.execution.blocks

import java.util.Arrays

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** Makes rows of the blocks of a [[BlockEncoder]]. Memory: the rows of a block. */
final private[execution] class BlockDecoder(layout: BlockLayout) {
  import BlockLayout.WordBytes

  private[this] var base: AnyRef = _
  private[this] var at = 0L
  private[this] var count = 0
  private[this] var lane = Array.emptyLongArray
  private[this] val nulls = Array.fill(layout.nullLanes)(Array.emptyLongArray)
  private[this] val anyNull = new Array[Long](layout.nullLanes)
  private[this] val columns = layout.sized.map(new SizedColumn(_))
  private[this] var starts = new Array[Int](1) // of the rows, and one past the last
  private[this] var filled = Array.emptyIntArray // how far rows have values that differ in size
  private[this] var rows = Array.emptyByteArray

  /** Decodes a block. Returns the number of its rows. */
  def decode(block: UnsafeRow): Int = {
    base = block.getBaseObject
    at = block.getBaseOffset + BlockEncoder.HeaderBytes
    count = BlockEncoder.countOf(block)
    if (lane.length < count) grow()
    readNulls()
    readSizes()
    layout.fixed.foreach(putWords)
    columns.foreach(putBytes)
    count
  }

  /** Points `row` to a row of the block. */
  def point(row: UnsafeRow, number: Int): Unit =
    row.pointTo(
      rows,
      Platform.BYTE_ARRAY_OFFSET + starts(number).toLong,
      starts(number + 1) - starts(number)
    )

  private def grow(): Unit = {
    val size = count + count / 4
    lane = new Array[Long](size)
    nulls.indices.foreach(nulls(_) = new Array[Long](size))
    starts = new Array[Int](size + 1)
    filled = new Array[Int](size)
  }

  private def readNulls(): Unit = nulls.indices.foreach { i =>
    read(nulls(i), count)
    var all = 0L
    var row = 0
    while (row < count) {
      all |= nulls(i)(row)
      row += 1
    }
    anyNull(i) = all
  }

  private def isNull(column: Int, row: Int): Boolean = BlockLayout.isNull(nulls(column >> 6)(row), column)

  /** Reads the sizes of values, and makes room for the rows. */
  private def readSizes(): Unit = {
    Arrays.fill(starts, 0, count + 1, layout.fixedBytes)
    columns.foreach(readSizes)
    starts(0) = 0
    var row = 0
    while (row < count) {
      starts(row + 1) += starts(row)
      filled(row) = layout.fixedBytes
      row += 1
    }
    if (rows.length < starts(count)) rows = BlockLayout.bytes(starts(count).toLong)
    putNulls()
  }

  private def readSizes(column: SizedColumn): Unit = {
    column.isDistinct = Platform.getByte(base, at) == BlockEncoder.Distinct
    column.values = if (column.isDistinct) (Platform.getByte(base, at + 1) & 0xff) + 1 else count
    at += 2
    read(column.sizes(column.values), column.values)
    if (column.isDistinct) read(column.numbers(count), count)
    var row = 0
    while (row < count) {
      starts(row + 1) += layout.bytesInRow(column.ordinal, column.sizeOf(row))
      row += 1
    }
  }

  private def putNulls(): Unit = {
    var i = 0
    while (i < layout.nullLanes) {
      val words = nulls(i)
      var row = 0
      while (row < count) {
        Platform.putLong(rows, place(row, i), words(row))
        row += 1
      }
      i += 1
    }
  }

  private def place(row: Int, word: Int): Long =
    Platform.BYTE_ARRAY_OFFSET + starts(row).toLong + word * WordBytes

  private def putWords(column: Int): Unit = {
    read(lane, count)
    val unused = layout.unusedBits(column)
    val word = layout.nullLanes + column
    val mask = -1L >>> unused
    var row = 0
    if (!BlockLayout.isNull(anyNull(column >> 6), column)) while (row < count) {
      Platform.putLong(rows, place(row, word), lane(row) & mask)
      row += 1
    }
    else
      while (row < count) {
        Platform.putLong(rows, place(row, word), if (isNull(column, row)) 0L else lane(row) & mask)
        row += 1
      }
  }

  private def putBytes(column: SizedColumn): Unit = {
    val word = layout.nullLanes + column.ordinal
    at = column.place(at)
    var row = 0
    while (row < count) {
      val size = column.sizeOf(row)
      val inRow = layout.bytesInRow(column.ordinal, size)
      val offset = filled(row)
      val isNothing = inRow == 0 && isNull(column.ordinal, row)
      Platform.putLong(rows, place(row, word), if (isNothing) 0L else offset.toLong << 32 | size)
      if (inRow > 0)
        copy(column.placeOf(row), size, Platform.BYTE_ARRAY_OFFSET + starts(row).toLong + offset, inRow)
      filled(row) = offset + inRow
      row += 1
    }
  }

  /** Copies bytes of the block, and zeros up to `inRow` bytes. */
  private def copy(from: Long, size: Int, to: Long, inRow: Int): Unit = {
    // The whole words from the end on: the last has zeros after the value.
    var i = inRow - WordBytes
    while (i >= 0 && i >= size - 7) {
      Platform.putLong(rows, to + i, 0L)
      i -= WordBytes
    }
    Platform.copyMemory(base, from, rows, to, size.toLong)
  }

  /** Reads the integers of a lane. */
  private def read(into: Array[Long], count: Int): Unit = {
    val tag = Platform.getByte(base, at)
    at += 1
    if ((tag & BlockEncoder.Steps) != 0) readSteps(into, count, tag & ~BlockEncoder.Steps)
    else readWords(into, count, tag.toInt)
  }

  private def readWords(into: Array[Long], count: Int, width: Int): Unit = {
    val least = Platform.getLong(base, at)
    at += 8
    if (width == 0) Arrays.fill(into, 0, count, least)
    else {
      val mask = -1L >>> (64 - 8 * width)
      var i = 0
      while (i < count) {
        into(i) = (Platform.getLong(base, at) & mask) + least
        at += width
        i += 1
      }
    }
  }

  private def readSteps(into: Array[Long], count: Int, width: Int): Unit = {
    var word = Platform.getLong(base, at)
    val least = Platform.getLong(base, at + 8)
    at += 16
    into(0) = word
    val mask = if (width == 0) 0L else -1L >>> (64 - 8 * width)
    var i = 1
    while (i < count) {
      word += (Platform.getLong(base, at) & mask) + least
      into(i) = word
      at += width
      i += 1
    }
  }
}

/** A column of a block whose values differ in size. */
final private class SizedColumn(val ordinal: Int) {
  private[this] var ofSizes, ofNumbers, places = Array.emptyLongArray

  /** Whether there are only the distinct values, and the numbers of the rows' values among them. */
  var isDistinct = false

  /** The number of values. */
  var values = 0

  /** Where their sizes go. */
  def sizes(count: Int): Array[Long] = {
    if (ofSizes.length < count) {
      ofSizes = new Array[Long](count + count / 4)
      places = new Array[Long](ofSizes.length)
    }
    ofSizes
  }

  /** Where the numbers of the rows' values go. */
  def numbers(count: Int): Array[Long] = {
    if (ofNumbers.length < count) ofNumbers = new Array[Long](count + count / 4)
    ofNumbers
  }

  def sizeOf(row: Int): Int = ofSizes(valueOf(row)).toInt
  def placeOf(row: Int): Long = places(valueOf(row))

  private def valueOf(row: Int): Int = if (isDistinct) ofNumbers(row).toInt else row

  /** Notes that the values begin at a place. Returns the place after them. */
  def place(first: Long): Long = {
    var next = first
    var value = 0
    while (value < values) {
      places(value) = next
      next += ofSizes(value)
      value += 1
    }
    next
  }
}

private[execution] object BlockDecoder {

  /** The rows of blocks; the same object each time. A row is no longer valid when the next one is requested. */
  def rows(blocks: Iterator[InternalRow], layout: BlockLayout): Iterator[InternalRow] =
    new AbstractIterator[InternalRow] {
      private[this] val decoder = new BlockDecoder(layout)
      private[this] val row = new UnsafeRow(layout.columns)
      private[this] var number, count = 0

      override def hasNext: Boolean = number < count || blocks.hasNext

      override def next(): InternalRow = {
        if (number == count) {
          count = decoder.decode(blocks.next().asInstanceOf[UnsafeRow])
          number = 0
        }
        decoder.point(row, number)
        number += 1
        row
      }
    }
}
