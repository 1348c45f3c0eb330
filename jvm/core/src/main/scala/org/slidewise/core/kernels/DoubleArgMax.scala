package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames

/**
 * Position of the best element of each frame, in the order of DoubleTotalMaxOp. The newest of equal elements, as in Spark's
 * `max_by` and `min_by`; -1 for a frame without a value.
 *
 * Two-Stacks Lite over arrays. The live elements start at `base` and are divided at `middle`. Invariants, after each frame:
 *   - (P1) for each position `p` from `base` until `middle`, `suffixes(p - base)` is the position of the best element from `p`
 *     until `middle`, and `best(p - base)` its value;
 *   - (P2) `prefix` is the position of the best element from `middle` until the frame's `hi`, and `value` its value.
 *
 * A monotonic deque needs fewer comparisons, but on random values the branch predictor misses most of them: measured two to
 * three times slower.
 *
 * '''Cost.''' For `k` frames over `n` elements at most `2n + k` comparisons. Memory: one position and one value for each
 * element of the widest frame, kept between calls. Not safe for concurrent use.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 4
 */
final class DoubleArgMax {
  private var suffixes = new Array[Int](16)
  private var best = new Array[Double](16)

  /**
   * Writes the position for each frame into `out`.
   *
   * @param valid
   *   the elements that are not null, as in [[Validity]]
   * @throws java.lang.IllegalArgumentException
   *   if an array is too short
   */
  def frames(values: Array[Double], valid: Array[Long], frames: Frames, out: Array[Int]): Unit = {
    Arguments.check(values.length, valid, frames.size, out.length, frames.count, same = false)
    var base = 0
    var middle = 0
    var end = 0
    var prefix = -1
    var value = DoubleTotalMaxOp.identity // at prefix
    var k = 0
    while (k < frames.count) {
      val lo = frames.lo(k)
      val hi = frames.hi(k)
      if (lo >= middle) {
        turn(values, valid, lo, hi)
        prefix = -1
        base = lo
        middle = hi
        end = hi
      }
      while (end < hi) {
        if (Validity.at(valid, end) && (prefix < 0 || DoubleTotalMaxOp.atLeastAsGood(values(end), value))) {
          prefix = end
          value = values(end)
        }
        end += 1
      }
      val suffix = if (lo < middle) suffixes(lo - base) else -1
      out(k) =
        if (suffix < 0 || (prefix >= 0 && DoubleTotalMaxOp.atLeastAsGood(value, best(lo - base)))) prefix
        else suffix
      k += 1
    }
  }

  /** Establishes (P1) for a frame that starts at or after `middle`. */
  private def turn(values: Array[Double], valid: Array[Long], lo: Int, hi: Int): Unit = {
    if (suffixes.length < hi - lo) makeRoom(math.min(values.length.toLong, 2L * (hi - lo)).toInt)
    var suffix = -1
    var value = DoubleTotalMaxOp.identity
    var at = hi - 1
    while (at >= lo) {
      if (Validity.at(valid, at) && (suffix < 0 || !DoubleTotalMaxOp.atLeastAsGood(value, values(at)))) {
        suffix = at
        value = values(at)
      }
      suffixes(at - lo) = suffix
      best(at - lo) = value
      at -= 1
    }
  }

  private def makeRoom(size: Int): Unit = {
    suffixes = new Array[Int](size)
    best = new Array[Double](size)
  }
}
