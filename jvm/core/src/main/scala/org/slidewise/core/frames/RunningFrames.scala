package org.slidewise.core.frames

/**
 * Aggregates frames that all start with the first element: running totals, and totals of all elements.
 * Frames have to rise.
 *
 * Combines: one for each element, in the order of the elements, and none of two states; so that it also serves aggregates
 * that cannot be merged. Memory: one state, and an empty one for empty frames between others. An element is read once, when
 * a frame first holds it.
 */
final class RunningFrames(states: FrameStates) extends FrameAlgorithm {
  private[this] var hi = 0L
  private[this] var isClear = false

  states.reserve(1)

  /** @throws java.lang.IllegalArgumentException if `newLo` is not zero, unless the frame is empty */
  def slide(newLo: Long, newHi: Long): Int = {
    require(
      newLo == 0L || newLo == newHi,
      s"a frame that only grows starts at 0 or is empty, but newLo is $newLo and newHi $newHi"
    )
    if (newLo == 0L) growTo(newHi)
    else {
      states.reserveBesideEmpty()
      states.clear(1)
      1
    }
  }

  private def growTo(newHi: Long): Int = {
    if (!isClear) {
      states.clear(0)
      isClear = true
    }
    if (newHi > hi) {
      states.accumulate(0, hi, newHi)
      hi = newHi
    }
    0
  }

  def reset(): Unit = {
    hi = 0L
    isClear = false
  }
}
