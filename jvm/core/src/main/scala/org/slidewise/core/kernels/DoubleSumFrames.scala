package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames

/**
 * DoubleSumOp over frames whose ends advance by any steps: Two-Stacks Lite over arrays.
 *
 * The live elements start at `base` and are divided at `middle`. Invariants, after each frame:
 *   - (T1) for each position `p` from `base` until `middle`, `suffixes(p - base)` is the aggregate from `p` until `middle`;
 *   - (T2) `prefix` is the aggregate from `middle` until the frame's `hi`.
 *
 * A frame that starts after `middle` uses none of these suffixes, and its own elements become the new ones. A frame without
 * elements of the previous one is a prefix only, so that frames that only grow are combined from first to last. Hence each
 * element is combined at most once into a suffix and at most once into a prefix. Elements in no frame are not combined.
 *
 * '''Cost.''' For `k` frames over `n` elements at most `2n + k` combines. Memory: one value for each element of the widest
 * frame, kept between calls. Keeps the order of elements, and never subtracts. Not safe for concurrent use.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 4
 */
private[kernels] final class DoubleSumFrames {
  private var suffixes = new Array[Double](16)

  def apply(values: Array[Double], frames: Frames, out: Array[Double]): Unit = {
    val los = frames.lo
    val his = frames.hi
    var base = 0
    var middle = 0
    var end = 0
    var prefix = DoubleSumOp.identity
    var k = 0
    while (k < frames.count) {
      val lo = los(k)
      val hi = his(k)
      if (lo >= end) {
        prefix = DoubleSumOp.identity
        base = lo
        middle = lo
        end = lo
      } else if (lo > middle) {
        prefix = DoubleSumOp.identity
        base = lo
        middle = hi
        end = hi
        turn(values, lo, hi)
      }
      while (end < hi) {
        prefix = DoubleSumOp.combine(prefix, values(end))
        end += 1
      }
      out(k) = if (lo < middle) DoubleSumOp.combine(suffixes(lo - base), prefix) else prefix
      k += 1
    }
  }

  /** Establishes (T1) for a frame that starts after `middle`. */
  private def turn(values: Array[Double], lo: Int, hi: Int): Unit = {
    if (suffixes.length < hi - lo)
      suffixes = new Array[Double](math.min(values.length.toLong, 2L * (hi - lo)).toInt)
    var suffix = DoubleSumOp.identity
    var at = hi - 1
    while (at >= lo) {
      suffix = DoubleSumOp.combine(values(at), suffix)
      suffixes(at - lo) = suffix
      at -= 1
    }
  }
}
