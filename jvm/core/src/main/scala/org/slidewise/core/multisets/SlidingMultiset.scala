package org.slidewise.core.multisets

import org.slidewise.core.batch.Frames

/**
 * Slides a multiset of codes over frames. Subclasses keep the multiset of the current frame, and an aggregate of it.
 *
 * The ends of frames never move back (F2). So each row enters at most once and leaves at most once, and rows that no frame has
 * never enter. A frame costs its entering and leaving rows, whatever its width.
 *
 * The merge sort tree of Vogelsgesang et al. evaluates distinct counts and percentiles of arbitrary frames in O(log n) a row, and
 * takes O(n log n) memory. The skip list that DuckDB slides for quantiles takes O(log w) for each row that enters or leaves. Here
 * the codes of a [[ColumnDictionary]] index arrays of counts instead, so that a row enters or leaves in constant time, and nothing
 * is allocated for a row.
 *
 * Not safe for concurrent use.
 *
 * @see
 *   Vogelsgesang, Neumann, Leis, Kemper, "Efficient Evaluation of Arbitrarily-Framed Holistic SQL Aggregates and Window
 *   Functions", SIGMOD 2022
 */
abstract class SlidingMultiset private[multisets] () {

  private[multisets] def add(code: Int): Unit

  /** Removes one of the elements `code`, of which there is at least one. */
  private[multisets] def remove(code: Int): Unit

  /** Writes the result of frame `k`, of which the multiset holds the elements. */
  private[multisets] def write(k: Int): Unit

  /** Evaluates the frames in turn, from the empty multiset. Rows with a negative code are null. */
  private[multisets] final def slide(codes: Array[Int], frames: Frames): Unit = {
    require(
      frames.size <= codes.length,
      s"codes must have one for each of the ${frames.size} rows, but there are ${codes.length}"
    )
    val lo = frames.lo
    val hi = frames.hi
    var start = 0
    var end = 0
    var k = 0
    while (k < frames.count) {
      val from = lo(k)
      val until = hi(k)
      val stop = math.min(from, end)
      while (start < stop) {
        val code = codes(start)
        if (code >= 0) remove(code)
        start += 1
      }
      start = from
      if (end < from) end = from
      while (end < until) {
        val code = codes(end)
        if (code >= 0) add(code)
        end += 1
      }
      write(k)
      k += 1
    }
  }
}

private[multisets] object SlidingMultiset {

  def checkOut(length: Int, frames: Frames): Unit =
    require(
      frames.count <= length,
      s"out must have room for ${frames.count} results, but its length is $length"
    )

  /** An array with `n` zeros or more: `kept`, if it is long enough, of which the first `n` are cleared. */
  def zeros(kept: Array[Int], n: Int): Array[Int] =
    if (kept.length < n) new Array[Int](n)
    else {
      java.util.Arrays.fill(kept, 0, n, 0)
      kept
    }

  /** The smallest power of two that is not less than `n`, for `n` from 1 to 2^30^. */
  def powerOfTwo(n: Int): Int = if (n == 1) 1 else Integer.highestOneBit(n - 1) << 1
}
