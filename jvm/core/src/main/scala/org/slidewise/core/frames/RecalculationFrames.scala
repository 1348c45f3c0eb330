package org.slidewise.core.frames

/**
 * Recalculates each frame from its elements. Takes frames in any order, and never reads elements outside the frame.
 *
 * Combines: `hi - lo` for each frame. Memory: one state. Use it for states as large as the frame, such as a list of its
 * elements: a combine then costs as much as recalculation. Also for frames of a few elements.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, section 8.1
 */
final class RecalculationFrames(states: FrameStates) extends FrameAlgorithm {
  private[this] var lo, hi = -1L

  states.reserve(1)

  def slide(newLo: Long, newHi: Long): Int = {
    if (newLo != lo || newHi != hi) {
      lo = newLo
      hi = newHi
      states.clear(0)
      states.accumulate(0, lo, hi)
    }
    0
  }

  def reset(): Unit = { lo = -1; hi = -1 }
}
