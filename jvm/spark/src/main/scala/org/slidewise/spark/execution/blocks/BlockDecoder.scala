package org.slidewise.spark.execution.blocks

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/**
 * Reads the blocks of a [[BlockEncoder]] lane by lane, and batches as if they were blocks.
 *
 * Memory: the lanes of a block, and a reference to the block; or copies of the values of a batch. The decoded values are valid
 * until the next block is decoded, and as long as the bytes of the block are valid.
 */
final private[execution] class BlockDecoder(val layout: BlockLayout) {
  import BlockLayout.WordBytes

  private[this] var base: AnyRef = _
  private[this] var at = 0L
  private[this] var rows = 0
  private[this] val lanes = Array.fill(layout.columns)(Array.emptyLongArray)
  private[this] val nulls = Array.fill(layout.nullLanes)(Array.emptyLongArray)
  private[this] val anyNulls = new Array[Long](layout.nullLanes)
  private[this] val sizedColumns = layout.sized.map(new SizedColumn(_))
  private[this] lazy val vectors = new BatchValues(layout)
  private[this] var copied = Array.emptyByteArray // the values of a batch that differ in size
  private[this] val numberOfSized = Array.tabulate(layout.columns)(layout.sized.indexOf(_))

  /** The number of rows. */
  def count: Int = rows

  /** The base object of the bytes of sized values. */
  def bytes: AnyRef = base

  /** The words of a column that is not sized; narrow integers come with their sign. The word of a null is undefined. */
  def words(column: Int): Array[Long] = lanes(column)

  /** The words of a lane of null bits. */
  def nullWords(lane: Int): Array[Long] = nulls(lane)

  def anyNull(column: Int): Boolean = BlockLayout.isNull(anyNulls(column >> 6), column)
  def isNull(column: Int, row: Int): Boolean = BlockLayout.isNull(nulls(column >> 6)(row), column)

  /** Whether the block stores each distinct value of a column once. */
  def isDistinct(column: Int): Boolean = layout.isSized(column) && sizedOf(column).isDistinct

  /** The number of a row's value among the distinct values. */
  def distinctValue(column: Int, row: Int): Int = sizedOf(column).valueOf(row)

  private def sizedOf(column: Int): SizedColumn = sizedColumns(numberOfSized(column))

  /** The bytes of a value of one of [[BlockLayout.sized]], without a copy. */
  def valueOf(sized: Int, row: Int): UTF8String = {
    val column = sizedColumns(sized)
    UTF8String.fromAddress(base, column.placeOf(row), column.sizeOf(row))
  }

  /** The columns of [[BlockLayout.sized]]. */
  private[blocks] def sized(number: Int): SizedColumn = sizedColumns(number)

  /** Decodes a block. */
  def decode(block: UnsafeRow): Unit = {
    base = block.getBaseObject
    at = block.getBaseOffset + BlockEncoder.HeaderBytes
    rows = BlockEncoder.countOf(block)
    nulls.indices.foreach(readNulls)
    sizedColumns.foreach(readSizes)
    layout.fixed.foreach { column =>
      lanes(column) = room(lanes(column))
      read(lanes(column), rows)
    }
    sizedColumns.foreach(column => at = column.place(at))
  }

  /** Decodes a block of a [[PlainEncoder]]. */
  def decodePlain(block: UnsafeRow): Unit = {
    base = block.getBaseObject
    rows = Platform.getLong(base, block.getBaseOffset).toInt
    val lanesAt = block.getBaseOffset + WordBytes
    val laneBytes = rows.toLong * WordBytes
    def placeOf(lane: Int) = lanesAt + lane * laneBytes
    nulls.indices.foreach { lane =>
      nulls(lane) = room(nulls(lane))
      Platform.copyMemory(base, placeOf(lane), nulls(lane), Platform.LONG_ARRAY_OFFSET.toLong, laneBytes)
      noteNulls(lane)
    }
    layout.fixed.foreach { column =>
      lanes(column) = room(lanes(column))
      val from = placeOf(layout.nullLanes + column)
      Platform.copyMemory(base, from, lanes(column), Platform.LONG_ARRAY_OFFSET.toLong, laneBytes)
      if (layout.unusedBits(column) > 0) extendSigns(lanes(column), layout.unusedBits(column))
    }
    sizedColumns.foreach { column =>
      column.take(base, placeOf(layout.nullLanes + column.ordinal), rows, placeOf(layout.lanes))
    }
  }

  /**
   * Decodes rows of a batch from row `from` on: at least one row and at most `most` rows. Copies all values. Decodes fewer rows
   * if their variable-length values would exceed [[BlockDecoder.MostBytes]].
   */
  def decodeBatch(batch: ColumnarBatch, from: Int, most: Int): Unit = {
    rows = math.min(most, BlockDecoder.MostRows)
    if (sizedColumns.nonEmpty) copyValues(batch, from)
    nulls.indices.foreach { lane =>
      nulls(lane) = room(nulls(lane))
      Arrays.fill(nulls(lane), 0, rows, 0L)
    }
    (0 until layout.columns).foreach(column => takeNulls(batch.column(column), column, from))
    nulls.indices.foreach(noteNulls)
    layout.fixed.indices.foreach { i =>
      val column = layout.fixed(i)
      lanes(column) = room(lanes(column))
      vectors.ofWords(i).read(batch, from, rows, lanes(column))
      if (layout.unusedBits(column) > 0) extendSigns(lanes(column), layout.unusedBits(column))
    }
  }

  private def takeNulls(vector: ColumnVector, column: Int, from: Int): Unit = if (vector.hasNull) {
    val lane = nulls(column >> 6)
    var row = 0
    while (row < rows) {
      if (vector.isNullAt(from + row)) lane(row) |= 1L << column
      row += 1
    }
  }

  private def copyValues(batch: ColumnarBatch, from: Int): Unit = {
    val size = vectors.readValues(batch, from, rows)
    rows = vectors.rows
    if (copied.length < size) copied = BlockLayout.bytes(size)
    base = copied
    at = Platform.BYTE_ARRAY_OFFSET.toLong
    sizedColumns.indices.foreach(i => at = sizedColumns(i).copy(vectors.values(i), rows, copied, at))
  }

  private def extendSigns(words: Array[Long], unused: Int): Unit = {
    var row = 0
    while (row < rows) {
      words(row) = words(row) << unused >> unused
      row += 1
    }
  }

  private def room(lane: Array[Long]): Array[Long] =
    if (lane.length < rows) new Array[Long](rows + rows / 4) else lane

  private def readNulls(lane: Int): Unit = {
    nulls(lane) = room(nulls(lane))
    read(nulls(lane), rows)
    noteNulls(lane)
  }

  private def noteNulls(lane: Int): Unit = {
    var all = 0L
    var row = 0
    while (row < rows) {
      all |= nulls(lane)(row)
      row += 1
    }
    anyNulls(lane) = all
  }

  private def readSizes(column: SizedColumn): Unit = {
    column.isDistinct = Platform.getByte(base, at) == BlockEncoder.Distinct
    column.values = if (column.isDistinct) (Platform.getByte(base, at + 1) & 0xff) + 1 else rows
    at += 2
    read(column.sizes(column.values), column.values)
    if (column.isDistinct) read(column.numbers(rows), rows)
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
final private[blocks] class SizedColumn(val ordinal: Int) {
  private[this] var ofSizes, ofNumbers, places = Array.emptyLongArray

  /** Whether the column holds distinct values and, for each row, the number of its value among them. */
  var isDistinct = false

  /** The number of values. */
  var values = 0

  /** Array for the sizes of `count` values. */
  def sizes(count: Int): Array[Long] = {
    if (ofSizes.length < count) {
      ofSizes = new Array[Long](count + count / 4)
      places = new Array[Long](ofSizes.length)
    }
    ofSizes
  }

  /** Array for the dictionary numbers of `count` values. */
  def numbers(count: Int): Array[Long] = {
    if (ofNumbers.length < count) ofNumbers = new Array[Long](count + count / 4)
    ofNumbers
  }

  def sizeOf(row: Int): Int = ofSizes(valueOf(row)).toInt
  def placeOf(row: Int): Long = places(valueOf(row))

  def valueOf(row: Int): Int = if (isDistinct) ofNumbers(row).toInt else row

  /**
   * Reads the size and the place of each row's value from the words at an address. The places in the upper halves of words are
   * relative to `first`.
   */
  def take(base: AnyRef, words: Long, rows: Int, first: Long): Unit = {
    isDistinct = false
    values = rows
    val into = sizes(rows)
    var row = 0
    while (row < rows) {
      val word = Platform.getLong(base, words + row * BlockLayout.WordBytes)
      into(row) = word & 0xffffffffL
      places(row) = first + (word >>> 32)
      row += 1
    }
  }

  /** Copies the value of each row into `into`, from place `first` on. Returns the place after the values. */
  def copy(found: Array[UTF8String], rows: Int, into: Array[Byte], first: Long): Long = {
    isDistinct = false
    values = rows
    val all = sizes(rows)
    var next = first
    var row = 0
    while (row < rows) {
      val value = found(row)
      val size = if (value == null) 0 else value.numBytes
      all(row) = size
      places(row) = next
      if (size > 0) value.writeToMemory(into, next)
      next += size
      row += 1
    }
    next
  }

  /** Sets the places of the values, which begin at `first`. Returns the place after the values. */
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

  /** The maximum number of distinct values for which a block stores each value once. */
  final val MostDistinct = BlockDictionary.MostEntries

  /**
   * The maximum number of rows of a batch that are decoded together, and the maximum size of their variable-length values if
   * there is more than one row.
   */
  private[blocks] final val MostRows = 4096
  private[blocks] final val MostBytes = 4 << 20
}
