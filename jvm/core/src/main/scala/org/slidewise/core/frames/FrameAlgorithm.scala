package org.slidewise.core.frames

/**
 * Aggregates a sequence of frames `[lo, hi)` over one sequence of elements. Neither end of the frames ever decreases.
 *
 * The problem of Basin, Klaedtke and Zălinescu, "Greedily computing associative aggregations on sliding windows", with empty
 * frames allowed as in SQL. Not safe for concurrent use.
 */
trait FrameAlgorithm {

  /**
   * Returns the slot with the aggregate of the elements at `lo until hi`, valid until the next call. Neither this call nor a
   * later one reads elements before `lo`.
   *
   * @param lo
   *   at least the previous `lo`
   * @param hi
   *   at least `lo` and the previous `hi`
   */
  def slide(lo: Long, hi: Long): Int

  /** Drops all state: the next call belongs to a new sequence of elements. */
  def reset(): Unit
}
