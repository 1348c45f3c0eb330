package org.slidewise.core.algorithms

import org.slidewise.core.state.States

/**
 * Two-Stacks Lite: Two-Stacks in one queue, with one state an element.
 *
 * Combines: query 1, insert 1, evict at most n and 1 amortised. Space: n + 1 states.
 *
 * The front sublist is the positions from `front` to before `middle`, the back sublist those from `middle` to before
 * `end`. Invariants, after each operation, for a window of v,,0,,, …, v,,n-1,,:
 *   - L1: in the front sublist, a position holds the aggregate from there to the sublist's end;
 *   - L2: in the back sublist, position `front + i` holds v,,i,,;
 *   - L3: the register `Back` holds the aggregate of the back sublist, unless that is empty.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 4
 */
final class TwoStacksLite[S] private[core] (states: States[S]) extends DequeAlgorithm[S](states) {
  import TwoStacksLite.Back

  private[algorithms] var middle: Int = 0

  // Resetting the register in `flip` instead would add a call that the JIT compiler does not inline.
  private def aggregateOfBack: Int = if (middle == end) States.Identity else Back // L3

  private[core] override def self: SlotAlgorithm[S] = this

  private[core] override def insertLifted(): Unit = {
    states.combine(Back, aggregateOfBack, at(end)) // L3
    end += 1 // L2
  }

  private[core] override def evict(): Unit = {
    if (front == middle) flip()
    popFront()
  }

  private def flip(): Unit = {
    var newer = end - 1
    while (newer != front) {
      val run = math.min(states.runUpTo(newer), newer - front + 1)
      val older = newer - math.max(run - 1, 1)
      if (run > 1) states.suffixes(older, run) // L1
      else states.combine(at(older), at(older), at(newer)) // L1
      newer = older
    }
    middle = end
  }

  private[core] override def evict(count: Int): Unit = {
    val inFront = math.min(count, middle - front)
    popFront(inFront)
    if (count > inFront) {
      popFront(count - inFront - 1)
      middle = front
      evict()
    }
  }

  private[core] override def answer(): Int = {
    states.combine(States.Result, firstOf(front, middle), aggregateOfBack) // L1, L3
    States.Result
  }
}

private object TwoStacksLite {
  final val Back = States.A
}
