package org.slidewise.core.algorithms

import org.slidewise.core.state.RingStates

/** Allocates positions of a ring, released in any order. A position keeps its slot when the ring grows. */
private[algorithms] final class SlotPool(ring: RingStates[_]) {
  private[this] var taken: Int = 0
  private[this] var free: Array[Int] = new Array[Int](16)
  private[this] var freeCount: Int = 0

  def take(): Int =
    if (freeCount > 0) {
      freeCount -= 1
      free(freeCount)
    } else {
      // Positions from 0 on never wrap around, so that growing does not move their slots.
      ring.makeRoom(0, taken)
      taken += 1
      taken - 1
    }

  def give(position: Int): Unit = {
    ring.clear(position)
    if (freeCount == free.length) free = java.util.Arrays.copyOf(free, 2 * freeCount)
    free(freeCount) = position
    freeCount += 1
  }
}
