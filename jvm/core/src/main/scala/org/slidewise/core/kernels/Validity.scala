package org.slidewise.core.kernels

import java.lang.Long.{bitCount, numberOfTrailingZeros}

import org.slidewise.core.batch.Frames

/**
 * Which rows of a column hold a value and which are null: bit `i % 64` of word `i / 64` is set if row `i` holds one. A null
 * reference in place of the words means that no row is null.
 */
object Validity {

  /** The number of words for `size` rows. */
  def words(size: Int): Int = (size + 63) >>> 6

  /** Whether row `i` holds a value. */
  def at(valid: Array[Long], i: Int): Boolean = valid == null || (valid(i >>> 6) >>> i & 1L) != 0

  /**
   * Sets in `out`, for each frame, whether it holds `atLeast` values or more: whether an aggregate that needs so many has a
   * result there. Costs a few operations a frame.
   *
   * @param valid
   *   of the elements
   * @param out
   *   of the frames: `words(frames.count)` words at least
   * @return
   *   whether all frames do
   */
  def ofFrames(valid: Array[Long], frames: Frames, atLeast: Int, out: Array[Long]): Boolean = {
    val counts = new ValidCounts(valid, frames.size)
    var all = true
    var from = 0
    while (from < frames.count) {
      val until = math.min(from + 64, frames.count)
      var word = 0L
      var k = from
      while (k < until) {
        if (counts.between(frames.lo(k), frames.hi(k)) >= atLeast) word |= 1L << k
        k += 1
      }
      out(from >>> 6) = word
      all &= bitCount(word) == until - from
      from = until
    }
    all
  }

  /** Calls `write` with the number of each null row among the first `size`. Costs a step for each 64 rows and each null. */
  private[kernels] def foreachNull(valid: Array[Long], size: Int)(write: Int => Unit): Unit =
    if (valid != null) {
      var word = 0
      while (word < words(size)) {
        val rest = size - (word << 6)
        var nulls = ~valid(word) & (if (rest < 64) (1L << rest) - 1 else -1L)
        while (nulls != 0) {
          write((word << 6) + numberOfTrailingZeros(nulls))
          nulls &= nulls - 1
        }
        word += 1
      }
    }
}
