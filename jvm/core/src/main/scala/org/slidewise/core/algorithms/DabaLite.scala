package org.slidewise.core.algorithms

import org.slidewise.core.state.States

/**
 * DABA Lite: DABA in half the space, with one state an element.
 *
 * Combines in the worst case: query 1, insert 3, evict 2; on average over non-empty windows: insert 2, evict 1. Space: n + 2
 * states.
 *
 * The sublists are those of [[BankersAlgorithm]]. Invariants, after each operation, for a window of v,,0,,, …, v,,n-1,,:
 *   - DL1: before `l`, and in l,,A,, (if l = r, in all of the front list), a position holds the aggregate from there to
 *     before `b`;
 *   - DL2: in l,,L,,, a position holds the aggregate from there to before `r`;
 *   - DL3: in l,,R,, and in the back list, position `front + i` holds v,,i,,;
 *   - DL4: `accumulatedRegister` holds the aggregate from `r` to before `b`, unless l = r;
 *   - DL5: `backRegister` holds the aggregate of the back list, unless that is empty;
 *   - DL6: the window is empty, or (r - l) + 1 ≤ (b - front) - (end - b) and r - l = a - r.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 6
 */
final class DabaLite[S] private[core] (states: States[S]) extends BankersAlgorithm[S](states) {
  // At each turn the back list becomes l,,R,,, and the registers swap: DL5 gives DL4, and DL1 gives DL2.
  private[algorithms] def backRegister: Int = States.A + turn
  private[algorithms] def accumulatedRegister: Int = States.B - turn

  private def aggregateOfBack: Int = if (b == end) States.Identity else backRegister // DL5

  private[core] override def self: SlotAlgorithm[S] = this

  private[core] override def insertLifted(): Unit = {
    states.combine(backRegister, aggregateOfBack, at(end)) // DL5
    end += 1 // DL3
    fixupAfterInsert()
  }

  private[core] override def evict(): Unit = {
    popFront()
    fixupAfterEvict()
  }

  private[core] override def answer(): Int = {
    states.combine(States.Result, firstOf(front, b), aggregateOfBack) // DL1, DL5
    States.Result
  }

  protected override def shrink(): Unit = {
    val states = this.states
    val left = at(l)
    states.combine(left, left, accumulatedRegister) // DL1
    l += 1
    val right = at(a - 1)
    states.combine(right, right, firstOf(a, b)) // DL1
    a -= 1
  }
}
