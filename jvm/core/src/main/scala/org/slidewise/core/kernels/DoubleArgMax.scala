package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames

/**
 * Where in each frame the best element stands, best in the order of DoubleTotalMax: the position of the newest one of equals,
 * as Spark's `max_by` and `min_by` take it, or -1 where all elements are null or there is none.
 *
 * These are checkpoints in arrays. Invariants, after each frame:
 *   - (C1) the positions from `head` until `tail` are those elements of the frame that are not null and that no newer
 *     element of the frame is at least as good as; oldest first, so that each is strictly better than all after it;
 *   - (C2) `best` holds their values.
 *
 * '''Cost.''' At most two comparisons for each element; one position and one value for each element of the widest frame,
 * kept from call to call. Nulls and elements that no frame covers are not looked at. Not safe for concurrent use.
 *
 * @see
 *   Dani, Getta, "Incremental computation of aggregate operators over sliding windows", sections 7.4 and 8.1
 */
final class DoubleArgMax {
  private var positions = new Array[Int](16)
  private var best = new Array[Double](16)

  /**
   * Writes the position for each frame into `out`.
   *
   * @param valid
   *   which elements are not null, as in [[Validity]]
   * @throws java.lang.IllegalArgumentException
   *   if an array is too short
   */
  def frames(values: Array[Double], valid: Array[Long], frames: Frames, out: Array[Int]): Unit = {
    Arguments.check(values.length, valid, frames.size, out.length, frames.count, same = false)
    makeRoom(frames.widest)
    val mask = positions.length - 1
    var head = 0
    var tail = 0
    var end = 0
    var k = 0
    while (k < frames.count) {
      val lo = frames.lo(k)
      val hi = frames.hi(k)
      while (head < tail && positions(head & mask) < lo) head += 1
      end = math.max(end, lo)
      while (end < hi) {
        if (Validity.at(valid, end)) {
          val value = values(end)
          while (head < tail && DoubleTotalMax.atLeastAsGood(value, best((tail - 1) & mask))) tail -= 1
          positions(tail & mask) = end
          best(tail & mask) = value
          tail += 1
        }
        end += 1
      }
      out(k) = if (head < tail) positions(head & mask) else -1
      k += 1
    }
  }

  private def makeRoom(widest: Int): Unit =
    if (positions.length < widest) {
      val power = Integer.highestOneBit(widest - 1) << 1
      positions = new Array[Int](power)
      best = new Array[Double](power)
    }
}
