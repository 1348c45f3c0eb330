package org.slidewise.spark.execution.blocks

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** Rows that wait to be encoded as a block, lane by lane. */
final private[execution] class StagedRows(layout: BlockLayout) {
  import BlockLayout.WordBytes

  /**
   * The words of lane `l` begin at `l * capacity`. A word of a sized column holds the place of the value in [[bytes]] in its
   * upper half, and the size of the value in its lower half.
   */
  var words: Array[Long] = Array.emptyLongArray
  var bytes: Array[Byte] = Array.emptyByteArray

  /** The maximum number of rows in the current arrays. */
  var capacity = 0

  /** The number of rows. */
  var count = 0

  /** The number of bytes in use. */
  var used = 0

  def heldBytes: Long = words.length.toLong * WordBytes + bytes.length

  /** Resizes the arrays to `rows` rows and `size` bytes of values. Keeps the rows. */
  def resize(rows: Int, size: Int): Unit = {
    if (rows != capacity) {
      val resized = new Array[Long](rows * layout.lanes)
      var lane = 0
      while (lane < layout.lanes) {
        System.arraycopy(words, lane * capacity, resized, lane * rows, count)
        lane += 1
      }
      words = resized
      capacity = rows
    }
    if (size != bytes.length) bytes = Arrays.copyOf(bytes, size)
  }

  def clear(): Unit = {
    count = 0
    used = 0
  }

  /** Adds a row. There must be room for the row. */
  def add(row: UnsafeRow): Unit = {
    val base = row.getBaseObject
    val from = row.getBaseOffset
    var lane = 0
    while (lane < layout.lanes) {
      words(lane * capacity + count) = Platform.getLong(base, from + lane * WordBytes)
      lane += 1
    }
    var i = 0
    while (i < layout.sized.length) {
      val column = layout.sized(i)
      val word = (layout.nullLanes + column) * capacity + count
      // A null may have bytes, too, which Spark would overwrite in place.
      words(word) = put(base, from + (words(word) >>> 32), words(word).toInt)
      i += 1
    }
    count += 1
  }

  /** Copies the bytes of a value, for which there must be room. Returns the word of the value. */
  def put(base: AnyRef, from: Long, size: Int): Long = {
    Platform.copyMemory(base, from, bytes, Platform.BYTE_ARRAY_OFFSET + used.toLong, size.toLong)
    val word = used.toLong << 32 | size
    used += size
    word
  }
}
