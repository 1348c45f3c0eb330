package org.slidewise.core.algorithms

import org.slidewise.core.state.States

/**
 * What DABA and DABA Lite share: the six positions, and the steps of the reversal that move them.
 *
 * front ≤ b ≤ end divide the queue into the front list and the back list. Unless l = r, a reversal is under way, with
 * front < l ≤ r ≤ a ≤ b: in the front list then lie l,,L,, from `l`, l,,R,, from `r` and l,,A,, from `a`. After each
 * operation the window is empty, or (r - l) + 1 ≤ (b - front) - (end - b) and r - l = a - r: there are as many steps left to
 * do as there will be operations, at least, before the back list is to become l,,R,,.
 *
 * The paper does a step in each operation until l = r, and then moves `l`, `r` and `a` on with each to count down what is left;
 * here that is the difference of the lists' sizes. An insertion does its step at once only where states are small. Where to
 * read one costs, it does so only if there would be too many left: each eviction then combines the state that is at the
 * front next, which is read anyhow. The bounds on the combines of an operation are the paper's either way.
 */
private[algorithms] abstract class BankersAlgorithm[S](states: States[S]) extends DequeAlgorithm[S](states) {
  private[algorithms] final var l: Int = 0
  private[algorithms] final var r: Int = 0
  private[algorithms] final var a: Int = 0
  private[algorithms] final var b: Int = 0

  /** 0 and 1 by turns: changes whenever the back list becomes l,,R,,. */
  protected final var turn: Int = 0

  private[this] val putsOff: Boolean = states.isCostlyToRead

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
      l = r // nothing is left to reverse
      a = r
      b = end
    }

  private def surplus: Int = (b - front) - (end - b)

  protected final def fixupAfterInsert(): Unit = {
    val isDue = if (putsOff) surplus <= r - l else l != r || surplus <= 0
    if (isDue) fixup()
  }

  protected final def fixupAfterEvict(): Unit = if (l != r || surplus <= 0) fixup()

  /**
   * Restores the sizes, of which an insertion or eviction has left one too small, with one step of the reversal.
   *
   * All but `shrink` is written out here: what happens once a window is rare, and the compiler would make calls of it, after
   * which all fields are loaded again.
   */
  private def fixup(): Unit = {
    if (l == r) {
      if (front != b) { // the front list becomes l,,L,,, the back list l,,R,,
        turn ^= 1
        l = front
        r = b
        a = end
      }
      b = end
    }
    if (l != r) shrink()
  }
}
