package org.slidewise.core.frames

/**
 * Aggregates a sequence of frames `[lo, hi)` over one sequence of elements.
 *
 * Each algorithm says which sequences of frames it takes: frames in any order, or frames that rise. Frames rise if neither of
 * their ends ever decreases. This is the problem of Basin, Klaedtke and Zălinescu, "Greedily computing associative aggregations
 * on sliding windows", with empty frames allowed as in SQL. Not safe for concurrent use.
 */
trait FrameAlgorithm {

  /**
   * Returns the slot with the aggregate of the elements at `lo until hi`, valid until the next call. Reads only elements of this
   * frame and of earlier ones. If frames have to rise, neither this call nor a later one reads elements before `lo`.
   *
   * @param lo
   *   at least zero; if frames have to rise, at least the previous `lo`
   * @param hi
   *   at least `lo`; if frames have to rise, at least the previous `hi`
   */
  def slide(lo: Long, hi: Long): Int

  /** Drops all state: the next call belongs to a new sequence of elements. */
  def reset(): Unit
}
