package org.slidewise.core.multisets

import org.slidewise.core.batch.Frames

/**
 * Counts the distinct values of each frame: SQL's `count(DISTINCT column)`.
 *
 * '''Cost.''' Constant time for each row that enters or leaves, and for each frame. Memory: [[DistinctCounts.BytesARow]] for each
 * code of the largest column, kept for the next column. Not safe for concurrent use.
 */
final class DistinctCounts extends DistinctMultiset {
  private[this] var present = 0L
  private[this] var out: Array[Long] = _

  /**
   * Writes the number of distinct codes of each frame into `out`.
   *
   * @param codes
   *   the code of each row, from 0 until `cardinality`; negative for a null row
   * @throws java.lang.IllegalArgumentException
   *   if an array is too short
   */
  def frames(codes: Array[Int], cardinality: Int, frames: Frames, out: Array[Long]): Unit = {
    SlidingMultiset.checkOut(out.length, frames)
    clearCounts(cardinality)
    present = 0L
    this.out = out
    try slide(codes, frames)
    finally this.out = null
  }

  private[multisets] def appear(code: Int): Unit = present += 1
  private[multisets] def disappear(code: Int): Unit = present -= 1
  private[multisets] def write(k: Int): Unit = out(k) = present
}

object DistinctCounts {

  /** The most bytes for each row of the longest column: one count. */
  final val BytesARow: Long = 4
}
