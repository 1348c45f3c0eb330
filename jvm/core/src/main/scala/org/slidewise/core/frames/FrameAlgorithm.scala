package org.slidewise.core.frames

/**
 * Answers a sequence of frames `[lo, hi)` over one sequence of elements; neither end ever moves back.
 *
 * This is the problem of Basin, Klaedtke and Zălinescu, "Greedily computing associative aggregations on sliding
 * windows", with empty frames allowed, as SQL has them.
 */
trait FrameAlgorithm {

  /**
   * The slot that holds the aggregate of the elements at `lo until hi`, valid until the next call. Neither this
   * call nor a later one reads elements before `lo`.
   *
   * @param lo
   *   at least the previous `lo`
   * @param hi
   *   at least `lo` and the previous `hi`
   */
  def slide(lo: Long, hi: Long): Int

  /** Forgets everything: the next call belongs to a new sequence of elements. */
  def reset(): Unit
}
