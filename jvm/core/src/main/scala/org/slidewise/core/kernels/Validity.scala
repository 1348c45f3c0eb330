package org.slidewise.core.kernels

import java.lang.Long.{bitCount, numberOfTrailingZeros}

import org.slidewise.core.batch.Frames

/**
 * Validity bitmap of a column: bit `i % 64` of word `i / 64` is set if row `i` is not null. A null reference in place of the
 * words means that no row is null.
 */
object Validity {

  /** The number of words for `size` rows. */
  def words(size: Int): Int = (size + 63) >>> 6

  /** Whether row `i` holds a value. */
  def at(valid: Array[Long], i: Int): Boolean = valid == null || (valid(i >>> 6) >>> i & 1L) != 0

  /**
   * Sets the bit of each frame in `out` if the frame has `atLeast` or more values, so that an aggregate that needs as many has a
   * result. Costs a few operations for each frame.
   *
   * @param valid
   *   the validity of the elements
   * @param out
   *   the validity of the frames: `words(frames.count)` words or more
   * @return
   *   whether all frames have `atLeast` values
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

  /** Calls `write` with the index of each null row among the first `size`. Costs a step for each 64 rows and each null. */
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
