package org.slidewise.core.algorithms

import org.slidewise.core.state.States

/**
 * What DABA and DABA Lite share: the six positions, and the steps of the reversal that move them.
 *
 * front ≤ l ≤ r ≤ a ≤ b ≤ end divide the queue into sublists: the front list from `front` to `b`, in which lie l,,L,, from
 * `l`, l,,R,, from `r` and l,,A,, from `a`; and the back list from `b`. After each operation the window is empty, or
 * (r - l) + (a - r) + (b - a) + 1 = (b - front) - (end - b) and r - l = a - r.
 */
private[algorithms] abstract class BankersAlgorithm[S](states: States[S]) extends DequeAlgorithm[S](states) {
  private[algorithms] final var l: Int = 0
  private[algorithms] final var r: Int = 0
  private[algorithms] final var a: Int = 0
  private[algorithms] final var b: Int = 0

  /** 0 and 1 by turns: changes whenever the back list becomes l,,R,,. */
  protected final var turn: Int = 0

  /** All that a queue is beside its states: to be given to [[moveTo]] of another with the same states. */
  private[core] final def positions: Array[Int] = Array(front, l, r, a, b, end, turn)

  private[core] final def moveTo(positions: Array[Int]): Unit = {
    front = positions(0)
    l = positions(1)
    r = positions(2)
    a = positions(3)
    b = positions(4)
    end = positions(5)
    turn = positions(6)
  }

  /** One step of l,,L,, and l,,R,, becoming part of the front list: `l` goes up by one and `a` down by one. */
  protected def shrink(): Unit

  // `evict()` stands in each class below: measured with sums, a round takes longer if it is shared from here.
  private[core] final override def evict(count: Int): Unit =
    if (count < size) super.evict(count)
    else {
      popFront(count)
      b = end // nothing is left to reverse
      fixup()
    }

  /**
   * Restores the sizes, of which an insertion or eviction has left one too small, with one step of the reversal.
   *
   * All but `shrink` is written out here: what happens once a window is rare, and the compiler would make calls of it, after
   * which all fields are loaded again.
   */
  protected final def fixup(): Unit =
    if (front == b) {
      l = end
      r = end
      a = end
      b = end
    } else {
      if (l == b) { // the front list becomes l,,L,,, the back list, at whose start r is already, l,,R,,
        turn ^= 1
        l = front
        a = end
        b = end
      }
      if (l == r) {
        a += 1
        r += 1
        l += 1
      } else shrink()
    }
}
