package org.slidewise.core.batch

import org.slidewise.core.Evolving

/**
 * Sequence of windows over an array of elements: window `k` has the elements at the positions `lo(k) until hi(k)`.
 *
 * The factory methods check these conditions:
 *   - (F1) `0 <= lo(k) <= hi(k) <= size` for each `k` below `count`; a window may be empty;
 *   - (F2) `lo` and `hi` never decrease.
 *
 * The arrays are not copied. The caller must not change them while the frames are in use.
 *
 * @param lo
 *   the position of each window's first element
 * @param hi
 *   the position after each window's last element
 * @param count
 *   the number of windows
 * @param size
 *   the number of elements
 */
@Evolving
final class Frames private (val lo: Array[Int], val hi: Array[Int], val count: Int, val size: Int) {

  /** The number of elements in the widest window. Takes one pass over the frames. */
  def widest: Int = {
    var most = 0
    var k = 0
    while (k < count) {
      most = math.max(most, hi(k) - lo(k))
      k += 1
    }
    most
  }
}

object Frames {

  /**
   * Creates the windows `[lo(k), hi(k))` for `k` below `count`, over `size` elements. Takes one pass over the frames.
   *
   * @throws java.lang.IllegalArgumentException
   *   if (F1) or (F2) does not hold; the message names the first such window
   */
  def of(lo: Array[Int], hi: Array[Int], count: Int, size: Int): Frames = {
    require(
      count >= 0 && count <= lo.length && count <= hi.length,
      s"count must be within the arrays of ends, which hold ${lo.length} and ${hi.length}, but is $count"
    )
    var lastLo = 0
    var lastHi = 0
    var k = 0
    while (k < count) {
      val l = lo(k)
      val h = hi(k)
      if (l < lastLo || h < lastHi || l > h || h > size)
        throw new IllegalArgumentException(
          s"window $k is [$l, $h) after [$lastLo, $lastHi): both ends must not decrease, the first must not be past " +
            s"the second, and the second must not be past the $size elements"
        )
      lastLo = l
      lastHi = h
      k += 1
    }
    new Frames(lo, hi, count, size)
  }

  /**
   * Creates one window for each of `size` rows, from `lower` to `upper` rows after it, both included: `rows(n, -2, 0)` is SQL's
   * `ROWS BETWEEN 2 PRECEDING AND CURRENT ROW`. Windows are truncated at the first and the last row. They are empty if `lower`
   * is past `upper`. The offsets `Int.MinValue` and `Int.MaxValue` mean unbounded.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `size` is negative
   */
  def rows(size: Int, lower: Int, upper: Int): Frames = {
    require(size >= 0, s"size must not be negative, but is $size")
    val lo = new Array[Int](size)
    val hi = new Array[Int](size)
    var i = 0
    while (i < size) {
      hi(i) = clamp(i.toLong + upper + 1, size)
      lo(i) = math.min(clamp(i.toLong + lower, size), hi(i))
      i += 1
    }
    new Frames(lo, hi, size, size)
  }

  private[core] def clamp(position: Long, size: Int): Int =
    math.max(0L, math.min(position, size.toLong)).toInt
}
