package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames

/**
 * Counts the values in a range of rows, exactly and in constant time after one pass over the words of `valid`.
 *
 * Memory: one `Int` for each 64 rows. Invariant: (V1) `before(w)` is the number of values in the words before word `w`.
 */
final class ValidCounts(valid: Array[Long], size: Int) {
  private val before: Array[Int] = if (valid == null) null else new Array[Int](Validity.words(size) + 1)

  if (valid != null) {
    var w = 0
    while (w + 1 < before.length) {
      before(w + 1) = before(w) + java.lang.Long.bitCount(valid(w))
      w += 1
    }
  }

  /** The number of values in the rows from `lo` until `hi`, for `0 <= lo <= hi <= size`. */
  def between(lo: Int, hi: Int): Int = if (valid == null) hi - lo else until(hi) - until(lo)

  /** Writes the number of values of each frame: SQL's `count(column)`, or `count(*)` if `valid` is null. */
  def ofFrames(frames: Frames, out: Array[Long]): Unit = {
    var k = 0
    while (k < frames.count) {
      out(k) = between(frames.lo(k), frames.hi(k)).toLong
      k += 1
    }
  }

  private def until(row: Int): Int = {
    val word = row >>> 6
    val rest = row & 63
    if (rest == 0) before(word) else before(word) + java.lang.Long.bitCount(valid(word) & ((1L << rest) - 1))
  }
}
