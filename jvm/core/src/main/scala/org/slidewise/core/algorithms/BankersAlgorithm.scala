package org.slidewise.core.algorithms

import org.slidewise.core.state.States

/**
 * Base of DABA and DABA Lite: the six positions, and the steps of the incremental reversal.
 *
 * front ≤ b ≤ end divide the queue into the front list and the back list. If l < r, a reversal is in progress with
 * front < l ≤ r ≤ a ≤ b. The front list then contains the sublists l,,L,, from `l`, l,,R,, from `r` and l,,A,, from `a`. After
 * each operation the window is empty, or (r - l) + 1 ≤ (b - front) - (end - b) and r - l = a - r. The reversal therefore ends
 * before the back list must become l,,R,,, at one step an operation.
 *
 * Differences to the paper: the paper performs a step in each operation until l = r and then advances `l`, `r` and `a` to count
 * down; here the difference of the lists' sizes is that count. An insertion performs a step only if states are cheap to read,
 * or if too many steps would be left. The evictions then perform them, on states that they read anyway. The bounds on the
 * combines of one operation are those of the paper.
 */
private[algorithms] abstract class BankersAlgorithm[S](states: States[S]) extends DequeAlgorithm[S](states) {
  private[algorithms] final var l: Int = 0
  private[algorithms] final var r: Int = 0
  private[algorithms] final var a: Int = 0
  private[algorithms] final var b: Int = 0

  /** Alternates between 0 and 1, whenever the back list becomes l,,R,,. */
  protected final var turn: Int = 0

  private[this] val defersReversal: Boolean = states.isCostlyToRead

  /** The positions of the queue, for [[moveTo]] of another algorithm over the same states. */
  private[core] final def positions: Array[Int] = Array(front, l, r, a, b, end, turn)

  /** Fails with an IllegalArgumentException if no queue can be at these positions. */
  private[core] final def moveTo(positions: Array[Int]): Unit = {
    front = positions(0)
    l = positions(1)
    r = positions(2)
    a = positions(3)
    b = positions(4)
    end = positions(5)
    turn = positions(6)
    if (!isPossible)
      throw new IllegalArgumentException(
        s"positions is ${positions.mkString("[", ", ", "]")}: it must be that of a queue"
      )
  }

  /** The positions may wrap around, and their distances do not. */
  private def isPossible: Boolean = {
    def ordered(distances: Int*) = distances.forall(_ >= 0)
    val isReversing = l != r
    (turn == 0 || turn == 1) && size >= 0 && size < (1 << 30) && ordered(b - front, end - b) &&
    (!isReversing || ordered(l - front, r - l, a - r, b - a) && r - l == a - r) &&
    (size == 0 || (r - l) + 1 <= surplus)
  }

  /** One step of the reversal, which increments `l` and decrements `a`. */
  protected def shrink(): Unit

  // Each subclass has its own `evict()`: sharing it here was measured to be slower with sums.
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
    val needsStep = if (defersReversal) surplus <= r - l else l != r || surplus <= 0
    if (needsStep) fixup()
  }

  protected final def fixupAfterEvict(): Unit = if (l != r || surplus <= 0) fixup()

  /**
   * Restores the invariant on sizes after an insertion or eviction, with one step of the reversal.
   *
   * Inlined by hand except for `shrink`: the JIT compiler does not inline code that runs once in a window's length, and
   * reloads all fields after a call.
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
