package org.slidewise.core.algorithms

import org.slidewise.core.state.States

/**
 * DABA Lite: DABA in half the space, which keeps only what is read again.
 *
 * Combines, worst case: query 1, insert 3, evict 2; on average over non-empty windows: insert 2, evict 1. Space: n + 2
 * states.
 *
 * Six positions, front ≤ l ≤ r ≤ a ≤ b ≤ end, divide the queue into sublists: the front list from `front` to `b`, in
 * which lie l,,L,, from `l`, l,,R,, from `r` and l,,A,, from `a`; and the back list from `b`. Invariants, after each
 * operation, for a window of v,,0,,, …, v,,n-1,,:
 *   - DL1: before `l`, and in l,,A,,, a position holds the aggregate from there to before `b`;
 *   - DL2: in l,,L,,, a position holds the aggregate from there to before `r`;
 *   - DL3: in l,,R,, and in the back list, position `front + i` holds v,,i,,;
 *   - DL4: `accumulatedRegister` holds the aggregate from `r` to before `b`, unless l = r;
 *   - DL5: `backRegister` holds the aggregate of the back list, unless that is empty;
 *   - DL6: the window is empty, or (r - l) + (a - r) + (b - a) + 1 = (b - front) - (end - b) and r - l = a - r.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 6
 */
final class DabaLite[S] private[core] (states: States[S]) extends DequeAlgorithm[S](states) {
  private[algorithms] var l: Int = 0
  private[algorithms] var r: Int = 0
  private[algorithms] var a: Int = 0
  private[algorithms] var b: Int = 0

  private[algorithms] var backRegister: Int = States.A
  private[algorithms] var accumulatedRegister: Int = States.B

  private def aggregateOfBack: Int = if (b == end) States.Identity else backRegister // DL5

  private[core] override def insertLifted(): Unit = {
    states.combine(backRegister, aggregateOfBack, at(end)) // DL5
    end += 1 // DL3
    fixup()
  }

  private[core] override def evict(): Unit = {
    popFront()
    fixup()
  }

  private[core] override def evict(count: Int): Unit =
    if (count < size) super.evict(count)
    else {
      popFront(count)
      startAt(end)
    }

  private[core] override def answer(): Int = {
    states.combine(States.Result, firstOf(front, b), aggregateOfBack) // DL1, DL5
    States.Result
  }

  /** Restores DL6, which an insertion or eviction has left one too small, with one step of the reversal. */
  private def fixup(): Unit =
    if (front == b) startAt(end)
    else {
      if (l == b) flip()
      if (l == r) shift() else shrink()
    }

  private def startAt(position: Int): Unit = {
    l = position
    r = position
    a = position
    b = position
  }

  /** The front list becomes l,,L,,, the back list, at whose start r is already, l,,R,,: DL1 gives DL2, DL5 gives DL4. */
  private def flip(): Unit = {
    swapRegisters()
    l = front
    a = end
    b = end
  }

  private def swapRegisters(): Unit = {
    val register = accumulatedRegister
    accumulatedRegister = backRegister
    backRegister = register
  }

  private def shift(): Unit = {
    a += 1
    r += 1
    l += 1
  }

  private def shrink(): Unit = {
    val left = at(l)
    states.combine(left, left, accumulatedRegister) // DL1
    l += 1
    val right = at(a - 1)
    states.combine(right, right, firstOf(a, b)) // DL1
    a -= 1
  }
}
