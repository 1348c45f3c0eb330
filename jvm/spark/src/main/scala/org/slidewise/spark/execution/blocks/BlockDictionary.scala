package org.slidewise.spark.execution.blocks

import java.util.Arrays

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods

/** The distinct values of a sized column of staged rows, if there are few. Memory: a number for each row. */
final private[blocks] class BlockDictionary {
  import BlockDictionary._

  private[this] var slots = Array.emptyIntArray // numbers of entries, from 1 on

  /** The words of the distinct values, in the order in which they first appear. */
  var entries: Array[Long] = Array.emptyLongArray

  /** The number of distinct values. */
  var size = 0

  /** For each row, the number of its value in [[entries]]. */
  var numbers: Array[Long] = Array.emptyLongArray

  /** Whether there are few distinct values: at most `MostEntries`, and at most half as many as rows. */
  var isUsed = false

  /** Finds the distinct values of a lane. Clears [[isUsed]] if there are too many distinct values, or too few rows. */
  def read(rows: StagedRows, lane: Int): Unit = {
    size = 0
    isUsed = rows.count >= FewestRows
    if (isUsed) clear(rows)
    val from = lane * rows.capacity
    var row = 0
    while (isUsed && row < rows.count) {
      val number = find(rows.bytes, rows.words(from + row))
      numbers(row) = number.toLong
      isUsed = number >= 0 && 2 * size <= rows.count
      row += 1
    }
  }

  private def clear(rows: StagedRows): Unit = {
    if (slots.isEmpty) {
      slots = new Array[Int](Slots)
      entries = new Array[Long](MostEntries)
    } else Arrays.fill(slots, 0)
    if (numbers.length < rows.count) numbers = new Array[Long](rows.capacity)
  }

  /** The number of a value. Numbers a new value; returns -1 if there are too many values. */
  private def find(bytes: Array[Byte], word: Long): Int = {
    var slot = hash(bytes, word) & (Slots - 1)
    while (slots(slot) > 0 && !isEqual(bytes, entries(slots(slot) - 1), word)) slot = (slot + 1) & (Slots - 1)
    if (slots(slot) > 0) slots(slot) - 1
    else if (size == MostEntries) -1
    else {
      entries(size) = word
      size += 1
      slots(slot) = size
      size - 1
    }
  }

  private def isEqual(bytes: Array[Byte], a: Long, b: Long): Boolean =
    a.toInt == b.toInt && ByteArrayMethods.arrayEquals(bytes, place(a), bytes, place(b), a & 0xffffffffL)

  /** A hash of the size, the first eight bytes and the last eight, or of all bytes if there are fewer. */
  private def hash(bytes: Array[Byte], word: Long): Int = {
    val size = word.toInt
    var found = size.toLong
    if (size >= 8) {
      found = found * Multiplier + Platform.getLong(bytes, place(word))
      found = found * Multiplier + Platform.getLong(bytes, place(word) + size - 8)
    } else {
      var i = 0
      while (i < size) {
        found = found * 31 + Platform.getByte(bytes, place(word) + i)
        i += 1
      }
    }
    (found * Multiplier >>> 40).toInt
  }

  private def place(word: Long): Long = Platform.BYTE_ARRAY_OFFSET + (word >>> 32)
}

private object BlockDictionary {

  /** The maximum number of entries, whose numbers fit one byte. */
  final val MostEntries = 256

  private val Slots = 1024
  private val FewestRows = 32
  private val Multiplier = 0x9e3779b97f4a7c15L
}
