package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames

/**
 * DoubleSumOp over frames whose ends move by any steps: Two-Stacks Lite over arrays.
 *
 * The elements in reach are those from `base`, cut at `middle`. Invariants, after each frame:
 *   - (T1) for each position `p` from `base` until `middle`, `suffixes(p - base)` is the aggregate from `p` until `middle`;
 *   - (T2) `prefix` is the aggregate from `middle` until the frame's `hi`.
 *
 * When a frame starts at `middle` or past it, nothing of (T1) is of use any more, and the frame's own elements become the
 * new suffixes. So an element is combined at most once into a suffix and at most once into a prefix, and one that no frame
 * covers is not combined.
 *
 * '''Cost.''' For `k` frames over `n` elements at most `2n + k` combines; memory one value for each element of the
 * widest frame, kept from call to call. Element order is kept; nothing is subtracted. Not safe for concurrent use.
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
      if (lo >= middle) {
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

  /** (T1) for a frame that starts anew. */
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
