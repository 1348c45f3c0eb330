package org.slidewise.core.algorithms

import org.slidewise.core.state.States

/**
 * DABA, the De-Amortized Banker's Aggregator: Two-Stacks that spreads each flip over the following operations.
 *
 * Combines in the worst case: query 1, insert 4, evict 3; on average over non-empty windows: insert 2.5, evict 1.5. Space:
 * 2 n states.
 *
 * Each position has two slots, `val` and `agg`; the sublists are those of [[BankersAlgorithm]]. Invariants, after each
 * operation, for a window of v,,0,,, …, v,,n-1,,:
 *   - D1: `val` of position `front + i` holds v,,i,,;
 *   - D2: before `l`, and in l,,A,, (if l = r, in all of the front list), `agg` holds the aggregate from there to before
 *     `b`;
 *   - D3: in l,,L,,, `agg` holds the aggregate from there to before `r`;
 *   - D4: in l,,R,,, `agg` holds the aggregate from `r` to there;
 *   - D5: in the back list, `agg` holds the aggregate from `b` to there;
 *   - D6: the window is empty, or (r - l) + 1 ≤ (b - front) - (end - b) and r - l = a - r.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 5
 */
final class Daba[S] private[core] (states: States[S]) extends BankersAlgorithm[S](states) {
  import Daba.Scratch

  private[core] override def self: SlotAlgorithm[S] = this

  private[core] override def slotForInsert: Int = states.pair(end)

  private def value(position: Int): Int = states.pair(position)

  private def agg(position: Int): Int = states.pair(position) + 1

  private def firstAgg(position: Int, bound: Int): Int =
    if (position == bound) States.Identity else agg(position)

  private def lastAgg(position: Int, bound: Int): Int =
    if (position == bound) States.Identity else agg(bound - 1)

  private[core] override def insertLifted(): Unit = {
    states.combine(agg(end), lastAgg(b, end), value(end)) // D5
    end += 1
    fixupAfterInsert() // in which D5 gives D4, and D2 gives D3
  }

  private[core] override def evict(): Unit = {
    popFront()
    fixupAfterEvict()
  }

  private[core] override def answer(): Int = {
    states.combine(States.Result, firstAgg(front, b), lastAgg(b, end)) // D2, D5
    States.Result
  }

  protected override def shrink(): Unit = {
    val accumulated = firstAgg(a, b)
    states.combine(Scratch, lastAgg(r, a), accumulated)
    states.combine(agg(l), agg(l), Scratch) // D2
    l += 1
    states.combine(agg(a - 1), value(a - 1), accumulated) // D2
    a -= 1
  }
}

private object Daba {
  final val Scratch = States.A
}
