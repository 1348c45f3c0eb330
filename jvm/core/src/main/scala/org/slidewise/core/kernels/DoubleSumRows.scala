package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames.clamp

/**
 * DoubleSumOp over windows that reach from `lower` to `upper` rows after each row, both included.
 *
 * The rows fall into three runs: windows cut off at the first element, windows that lie inside, windows cut off at the
 * last element. In the outer two an accumulator grows with the window, one combine a row. Inside, windows have `width`
 * elements, and rows are taken in blocks of `width`: with `m` the position just past the window of a block's first row,
 * the window of its `j`-th row is the last `width - j` elements before `m` (a suffix) and the first `j` from `m` on (a
 * prefix). Two invariants tie the blocks:
 *   - (R1) before a block is slid, `out` holds at each of its rows the aggregate of the row's suffix;
 *   - (R2) sliding it, from `m` upwards, finishes its rows with prefixes and, from the top downwards, writes the next
 *     block's suffixes. The two chains of combines do not wait for each other, so that the processor runs them side by side.
 *
 * '''Cost.''' Three combines a row, whatever the width. No memory but `out`, which must not be `values`, and for some widths
 * below 2048 that of one window. Element order is kept; nothing is subtracted.
 *
 * @see
 *   van Herk, "A fast algorithm for local minimum and maximum filters on rectangular and octagonal kernels"; Gil and
 *   Werman, "Computing 2-D min, median, and max filters"
 */
private[kernels] object DoubleSumRows {

  /**
   * Widths at which results that wait in `out` for their prefixes slow the processor down, measured: down to half the speed
   * at 64, to four fifths at 1000.
   */
  private final val ApartFrom = 37
  private final val ApartUntil = 2048

  def apply(values: Array[Double], size: Int, lower: Int, upper: Int, out: Array[Double]): Unit = {
    val inside = clamp(-lower.toLong, size)
    val cut = math.max(inside, clamp(size - upper.toLong, size))
    growing(values, size, upper, inside, out)
    if (inside < cut) inner(values, lower, upper - lower + 1, inside, cut, out)
    if (cut < size) shrinking(values, size, lower, cut, out)
  }

  /** The rows before `until`, whose windows start at the first element. */
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

  /** The rows from `from` until `until`, whose windows lie inside. */
  private def inner(
      values: Array[Double],
      lower: Int,
      width: Int,
      from: Int,
      until: Int,
      out: Array[Double]
  ): Unit =
    if (width >= ApartFrom && width < ApartUntil) slidingApart(values, lower, width, from, until, out)
    else sliding(values, lower, width, from, until, out)

  /** Blocks as in the class doc, but with each block's suffixes in an array of their own, written just before. */
  private def slidingApart(
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

  /** (R2) for the block of rows at `block`, with its `m` at `middle`. */
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

  /** (R1) for the rows of the block at `block` that lie before `until`. */
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

  /** Finishes the rows of the block at `block` that lie before `until`, given (R1). */
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

  /** The rows from `from` on, whose windows end at the last element. */
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
