package org.slidewise.spark.execution.blocks

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

import org.slidewise.spark.shims.BlockSums

/** Encodes rows as a block, from the start of an array on. */
abstract private[execution] class RowsEncoder {

  /** The block that was encoded last. */
  def bytes: Array[Byte]

  /** Encodes rows. Returns the size of the block in bytes, a multiple of eight. */
  def encode(rows: StagedRows): Int
}

/**
 * Encodes staged rows as blocks. A block has, one after the other: its number of rows and the sum of their [[RowHashes]]; the
 * lanes of null bits; the sizes of the values of sized columns; the lanes of the other columns; the bytes of the values of sized
 * columns, column by column. A sized column with few distinct values instead has a dictionary of these values and, for each row,
 * the number of its value.
 *
 * The words of a lane are encoded as integers of the width that the greatest integer needs. The integers are the differences from
 * the least word (frame of reference) or, if these take fewer bytes, the steps between neighbours minus the least step (delta). A
 * constant takes no bytes for a row.
 *
 * Memory: the block that was encoded last.
 *
 * @param hashed
 *   whether blocks hold the sum of the hashes of their rows; otherwise the sum is 0
 */
final private[execution] class BlockEncoder(layout: BlockLayout, hashed: Boolean) extends RowsEncoder {
  import BlockEncoder._

  private[this] var block = Array.emptyByteArray
  private[this] var at = 0L // where the next bytes go, counted from the start of the array object
  private[this] var work = Array.emptyLongArray
  private[this] val nulls = new Array[Long](layout.nullLanes) // by lane, the bits that any row has
  private[this] val hashes = new RowHashes(layout)
  private[this] val dictionaries = layout.sized.map(_ => new BlockDictionary)
  private[this] var least, leastStep = 0L
  private[this] var width, stepWidth = 0

  /** The block that was encoded last, from the start of the array on. */
  override def bytes: Array[Byte] = block

  /** Encodes the rows. Returns the number of bytes, which are whole words. */
  override def encode(rows: StagedRows): Int = {
    prepare(rows)
    Platform.putLong(block, at, rows.count.toLong)
    Platform.putLong(block, at + SumAt, if (hashed) hashes.sum(rows) else 0L)
    at += HeaderBytes
    encodeNulls(rows)
    layout.sized.indices.foreach(encodeSizes(rows, _))
    layout.fixed.foreach(encodeWords(rows, _))
    layout.sized.indices.foreach(encodeBytes(rows, _))
    val size = ((at - Platform.BYTE_ARRAY_OFFSET).toInt + SlackBytes + 7) & -8
    Platform.setMemory(block, at, Platform.BYTE_ARRAY_OFFSET.toLong + size - at, 0)
    size
  }

  private def prepare(rows: StagedRows): Unit = {
    val most = HeaderBytes + layout.lanes * (LaneBytes + rows.count * 8L) + rows.used + SlackBytes + 8
    if (block.length < most) block = BlockLayout.bytes(most)
    if (work.length < rows.count) work = new Array[Long](rows.capacity)
    at = Platform.BYTE_ARRAY_OFFSET.toLong
  }

  private def encodeNulls(rows: StagedRows): Unit = {
    var lane = 0
    while (lane < layout.nullLanes) {
      val from = lane * rows.capacity
      var all = 0L
      var i = 0
      while (i < rows.count) {
        val word = rows.words(from + i)
        all |= word
        work(i) = word
        i += 1
      }
      nulls(lane) = all
      encodeWork(rows.count)
      lane += 1
    }
  }

  private def encodeSizes(rows: StagedRows, sized: Int): Unit = {
    val lane = layout.nullLanes + layout.sized(sized)
    val dictionary = dictionaries(sized)
    dictionary.read(rows, lane)
    // The number of distinct values minus one fits one byte.
    Platform.putByte(block, at, (if (dictionary.isUsed) Distinct else Each).toByte)
    Platform.putByte(block, at + 1, (dictionary.size - 1).toByte)
    at += 2
    if (dictionary.isUsed) {
      encodeSizes(dictionary.entries, 0, dictionary.size)
      System.arraycopy(dictionary.numbers, 0, work, 0, rows.count)
      encodeWork(rows.count)
    } else encodeSizes(rows.words, lane * rows.capacity, rows.count)
  }

  private def encodeSizes(words: Array[Long], from: Int, count: Int): Unit = {
    var i = 0
    while (i < count) {
      work(i) = words(from + i) & 0xffffffffL
      i += 1
    }
    encodeWork(count)
  }

  private def encodeWords(rows: StagedRows, column: Int): Unit = {
    val from = (layout.nullLanes + column) * rows.capacity
    val unused = layout.unusedBits(column)
    if (!BlockLayout.isNull(nulls(column >> 6), column)) {
      var i = 0
      while (i < rows.count) {
        work(i) = rows.words(from + i) << unused >> unused
        i += 1
      }
    } else {
      val ofNulls = (column >> 6) * rows.capacity
      // A null is written as the previous value, which needs no wider integers.
      var last = firstValue(rows, column) << unused >> unused
      var i = 0
      while (i < rows.count) {
        if (!BlockLayout.isNull(rows.words(ofNulls + i), column))
          last = rows.words(from + i) << unused >> unused
        work(i) = last
        i += 1
      }
    }
    encodeWork(rows.count)
  }

  private def firstValue(rows: StagedRows, column: Int): Long = {
    val ofNulls = (column >> 6) * rows.capacity
    var i = 0
    while (i < rows.count && BlockLayout.isNull(rows.words(ofNulls + i), column)) i += 1
    if (i == rows.count) 0L else rows.words((layout.nullLanes + column) * rows.capacity + i)
  }

  private def encodeBytes(rows: StagedRows, sized: Int): Unit = {
    val dictionary = dictionaries(sized)
    if (dictionary.isUsed) encodeBytes(rows.bytes, dictionary.entries, 0, dictionary.size)
    else
      encodeBytes(
        rows.bytes,
        rows.words,
        (layout.nullLanes + layout.sized(sized)) * rows.capacity,
        rows.count
      )
  }

  private def encodeBytes(bytes: Array[Byte], words: Array[Long], from: Int, count: Int): Unit = {
    var i = 0
    while (i < count) {
      val word = words(from + i)
      val size = word.toInt
      if (size > 0) {
        Platform.copyMemory(bytes, Platform.BYTE_ARRAY_OFFSET + (word >>> 32), block, at, size.toLong)
        at += size
      }
      i += 1
    }
  }

  /** Writes the integers in `work`. */
  private def encodeWork(count: Int): Unit = {
    measure(count)
    val steps = stepWidth < width && count > 2
    Platform.putByte(block, at, (if (steps) stepWidth | Steps else width).toByte)
    at += 1
    if (steps) {
      Platform.putLong(block, at, work(0))
      at += 8
    }
    val base = if (steps) leastStep else least
    Platform.putLong(block, at, base)
    at += 8
    if (steps) writeSteps(count, base) else writeWords(count, base)
  }

  /** Finds the widths of the integers in `work`, and of the steps between them. */
  private def measure(count: Int): Unit = {
    least = work(0)
    leastStep = Long.MaxValue
    var greatest = least
    var greatestStep = Long.MinValue
    var last = least
    var i = 1
    while (i < count) {
      val word = work(i)
      least = math.min(least, word)
      greatest = math.max(greatest, word)
      val step = word - last
      leastStep = math.min(leastStep, step)
      greatestStep = math.max(greatestStep, step)
      last = word
      i += 1
    }
    width = widthOf(greatest - least)
    // Steps that overflow 64 bits wrap around. Adding them restores the exact words.
    stepWidth = if (count < 2) 8 else widthOf(greatestStep - leastStep)
  }

  private def writeWords(count: Int, base: Long): Unit = {
    var i = 0
    if (width > 0) while (i < count) {
      Platform.putLong(block, at, work(i) - base)
      at += width
      i += 1
    }
  }

  private def writeSteps(count: Int, base: Long): Unit = {
    var i = 1
    if (stepWidth > 0) while (i < count) {
      Platform.putLong(block, at, work(i) - work(i - 1) - base)
      at += stepWidth
      i += 1
    }
  }
}

private[execution] object BlockEncoder extends BlockSums {

  private val SumAt = 8L

  /** The number of rows, and the sum of their hashes. */
  val HeaderBytes = 16L

  def countOf(block: UnsafeRow): Int = wordOf(block, 0L).toInt

  override def sumOf(block: UnsafeRow): Long = wordOf(block, SumAt)

  private def wordOf(block: UnsafeRow, place: Long): Long =
    Platform.getLong(block.getBaseObject, block.getBaseOffset + place)

  /** Flag in a lane's first byte, beside the width: words are written as steps. */
  val Steps = 16

  /** Whether a sized column holds the value of each row, or distinct values. */
  val Each = 0
  val Distinct = 1

  /** The padding at the end of a block. The decoder reads eight bytes for each word, even if the last words have fewer bytes. */
  val SlackBytes = 8

  // The maximum size of a lane besides its words.
  private val LaneBytes = 160L

  /** The number of bytes that integers from 0 to `most` need. */
  def widthOf(most: Long): Int = (71 - java.lang.Long.numberOfLeadingZeros(most)) / 8
}
