package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames.clamp

/**
 * DoubleSumOp over windows that reach from `lower` to `upper` rows after each row, both included.
 *
 * There are three ranges of rows: windows truncated at the first element, full windows, and windows truncated at the last
 * element. In the outer two an accumulator grows with the window, one combine a row. Full windows have `width` elements, and
 * their rows are processed in blocks of `width`. Let `m` be the position after the window of a block's first row. The window of
 * the block's `j`-th row is then the last `width - j` elements before `m` (a suffix) and the first `j` from `m` on (a prefix).
 * Two invariants connect the blocks:
 *   - (R1) before a block is slid, `out` holds at each of its rows the aggregate of the row's suffix;
 *   - (R2) sliding it upwards from `m` finishes its rows with prefixes, and downwards from the top writes the next block's
 *     suffixes. The two chains of combines are independent, so that the processor overlaps them.
 *
 * '''Cost.''' Three combines a row for any width. Memory: none beyond `out`, which must not be `values`, except one window of
 * values for widths from 37 to 2047. Keeps the order of elements, and never subtracts. Thread-safe.
 *
 * @see
 *   van Herk, "A fast algorithm for local minimum and maximum filters on rectangular and octagonal kernels"; Gil and
 *   Werman, "Computing 2-D min, median, and max filters"
 */
private[kernels] object DoubleSumRows {

  /**
   * The range of widths for which a separate array of suffixes was measured to be faster than `out`: twice as fast at 64, by a
   * quarter at 1000.
   */
  private final val SeparateFrom = 37
  private final val SeparateUntil = 2048

  def apply(values: Array[Double], size: Int, lower: Int, upper: Int, out: Array[Double]): Unit = {
    val inside = clamp(-lower.toLong, size)
    val cut = math.max(inside, clamp(size - upper.toLong, size))
    growing(values, size, upper, inside, out)
    if (inside < cut) inner(values, lower, upper - lower + 1, inside, cut, out)
    if (cut < size) shrinking(values, size, lower, cut, out)
  }

  /** The rows before `until`: their windows start at the first element. */
  private def growing(values: Array[Double], size: Int, upper: Int, until: Int, out: Array[Double]): Unit = {
    val first = clamp(-upper.toLong, until)
    val full = math.max(first, clamp(size - upper.toLong, until))
    java.util.Arrays.fill(out, 0, first, DoubleSumOp.identity)
    var total = DoubleSumOp.identity
    if (first < until) {
      val end = clamp(first.toLong + upper, size)
      var at = 0
      while (at < end) {
        total = DoubleSumOp.combine(total, values(at))
        at += 1
      }
    }
    var row = first
    while (row < full) {
      total = DoubleSumOp.combine(total, values(row + upper))
      out(row) = total
      row += 1
    }
    java.util.Arrays.fill(out, full, until, total)
  }

  /** The rows from `from` until `until`: their windows are full. */
  private def inner(
      values: Array[Double],
      lower: Int,
      width: Int,
      from: Int,
      until: Int,
      out: Array[Double]
  ): Unit =
    if (width >= SeparateFrom && width < SeparateUntil)
      slidingSeparately(values, lower, width, from, until, out)
    else sliding(values, lower, width, from, until, out)

  /** The same blocks, but with the suffixes of each block in a separate array, written just before. */
  private def slidingSeparately(
      values: Array[Double],
      lower: Int,
      width: Int,
      from: Int,
      until: Int,
      out: Array[Double]
  ): Unit = {
    val suffixes = new Array[Double](width)
    var left = until - from
    while (left > 0) {
      val block = until - left
      val first = block + lower
      var suffix = DoubleSumOp.identity
      var j = width - 1
      while (j >= 0) {
        suffix = DoubleSumOp.combine(values(first + j), suffix)
        suffixes(j) = suffix
        j -= 1
      }
      out(block) = suffix
      val middle = first + width
      val rows = math.min(width, left)
      var prefix = DoubleSumOp.identity
      j = 1
      while (j < rows) {
        prefix = DoubleSumOp.combine(prefix, values(middle + j - 1))
        out(block + j) = DoubleSumOp.combine(suffixes(j), prefix)
        j += 1
      }
      left -= width
    }
  }

  private def sliding(
      values: Array[Double],
      lower: Int,
      width: Int,
      from: Int,
      until: Int,
      out: Array[Double]
  ): Unit = {
    var block = from
    suffixes(values, lower, width, block, until, out)
    while (until - block - width >= width) {
      slide(values, block + width + lower, width, block, out)
      block += width
    }
    prefixes(values, lower, width, block, until, out)
    if (until - block > width) {
      block += width
      suffixes(values, lower, width, block, until, out)
      prefixes(values, lower, width, block, until, out)
    }
  }

  /** (R2) for the block of rows at `block`, with `m` at `middle`. */
  private def slide(values: Array[Double], middle: Int, width: Int, block: Int, out: Array[Double]): Unit = {
    val topValue = middle + width - 1
    val topRow = block + 2 * width - 1
    var prefix = DoubleSumOp.identity
    var suffix = DoubleSumOp.combine(values(topValue), DoubleSumOp.identity)
    out(topRow) = suffix
    var j = 1
    while (j < width) {
      prefix = DoubleSumOp.combine(prefix, values(middle + j - 1))
      out(block + j) = DoubleSumOp.combine(out(block + j), prefix)
      suffix = DoubleSumOp.combine(values(topValue - j), suffix)
      out(topRow - j) = suffix
      j += 1
    }
  }

  /** Establishes (R1) for the rows of the block at `block` before `until`. */
  private def suffixes(
      values: Array[Double],
      lower: Int,
      width: Int,
      block: Int,
      until: Int,
      out: Array[Double]
  ): Unit = {
    var suffix = DoubleSumOp.identity
    var j = width - 1
    while (j >= until - block) {
      suffix = DoubleSumOp.combine(values(block + lower + j), suffix)
      j -= 1
    }
    while (j >= 0) {
      suffix = DoubleSumOp.combine(values(block + lower + j), suffix)
      out(block + j) = suffix
      j -= 1
    }
  }

  /** Finishes the rows of the block at `block` before `until`, given (R1). */
  private def prefixes(
      values: Array[Double],
      lower: Int,
      width: Int,
      block: Int,
      until: Int,
      out: Array[Double]
  ): Unit = {
    val rows = math.min(width, until - block)
    val middle = block + lower + width
    var prefix = DoubleSumOp.identity
    var j = 1
    while (j < rows) {
      prefix = DoubleSumOp.combine(prefix, values(middle + j - 1))
      out(block + j) = DoubleSumOp.combine(out(block + j), prefix)
      j += 1
    }
  }

  /** The rows from `from` on: their windows end at the last element. */
  private def shrinking(values: Array[Double], size: Int, lower: Int, from: Int, out: Array[Double]): Unit = {
    val empty = math.max(from, clamp(size - lower.toLong, size))
    java.util.Arrays.fill(out, empty, size, DoubleSumOp.identity)
    var total = DoubleSumOp.identity
    var at = size - 1
    var row = empty - 1
    while (row >= from) {
      while (at >= row + lower) {
        total = DoubleSumOp.combine(values(at), total)
        at -= 1
      }
      out(row) = total
      row -= 1
    }
  }
}
