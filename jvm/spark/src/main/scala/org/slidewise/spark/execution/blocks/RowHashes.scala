package org.slidewise.spark.execution.blocks

import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.unsafe.Platform

/** Hashes rows, so that Spark can detect that a task that ran again has written other rows. */
final private[blocks] class RowHashes(layout: BlockLayout) {
  private[this] var hashes = Array.emptyLongArray

  /** The sum of the rows' hashes, which does not depend on the order of the rows. */
  def sum(rows: StagedRows): Long = {
    if (hashes.length < rows.count) hashes = new Array[Long](rows.capacity)
    java.util.Arrays.fill(hashes, 0, rows.count, RowHashes.Seed)
    var lane = 0
    while (lane < layout.lanes) {
      if (lane >= layout.nullLanes && layout.isSized(lane - layout.nullLanes)) hashBytes(rows, lane)
      else hashWords(rows, lane)
      lane += 1
    }
    var sum = 0L
    var i = 0
    while (i < rows.count) {
      sum += hashes(i)
      i += 1
    }
    sum
  }

  private def hashWords(rows: StagedRows, lane: Int): Unit = {
    val from = lane * rows.capacity
    var i = 0
    while (i < rows.count) {
      val mixed = (hashes(i) ^ rows.words(from + i)) * RowHashes.Multiplier
      hashes(i) = mixed ^ mixed >>> 32
      i += 1
    }
  }

  private def hashBytes(rows: StagedRows, lane: Int): Unit = {
    val from = lane * rows.capacity
    var i = 0
    while (i < rows.count) {
      val word = rows.words(from + i)
      val place = Platform.BYTE_ARRAY_OFFSET + (word >>> 32)
      hashes(i) = XXH64.hashUnsafeBytes(rows.bytes, place, word.toInt, hashes(i))
      i += 1
    }
  }
}

private object RowHashes {
  private val Seed = 42L

  // An odd number with about as many ones as zeros in binary: 2^64 divided by the golden ratio.
  private final val Multiplier = 0x9e3779b97f4a7c15L
}
