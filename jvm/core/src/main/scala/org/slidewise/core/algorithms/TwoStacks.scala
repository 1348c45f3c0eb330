package org.slidewise.core.algorithms

import org.slidewise.core.state.States

/**
 * Two-Stacks: a queue of two stacks, with the aggregate of each element and all below it in its stack.
 *
 * Combines: query 1, insert 1, evict at most n and 1 amortised. Space: 2 n states.
 *
 * Each position has two slots, `val` and `agg`; the front stack F is the positions from `front` to before `middle`, its
 * top first, and the back stack B those from `middle` to before `end`, its top last. Invariants, after each operation,
 * for a window of v,,0,,, …, v,,n-1,,:
 *   - T1: `val` of position `front + i` holds v,,i,,;
 *   - T2: in F, `agg` of a position holds the aggregate from there to the end of F;
 *   - T3: in B, `agg` of a position holds the aggregate from the start of B to there.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 3
 */
final class TwoStacks[S] private[core] (states: States[S]) extends DequeAlgorithm[S](states) {
  private[algorithms] var middle: Int = 0

  private[core] override def self: SlotAlgorithm[S] = this

  private[core] override def slotForInsert: Int = states.pair(end)

  private def value(position: Int): Int = states.pair(position)

  private def agg(position: Int): Int = states.pair(position) + 1

  private def aggregateOfFront: Int = if (front == middle) States.Identity else agg(front) // T2

  private def aggregateOfBack: Int = if (middle == end) States.Identity else agg(end - 1) // T3

  private[core] override def insertLifted(): Unit = {
    states.combine(agg(end), aggregateOfBack, value(end)) // T3
    end += 1
  }

  private[core] override def evict(): Unit = {
    if (front == middle) flip()
    popFront()
  }

  private[core] override def evict(count: Int): Unit = {
    val inFront = math.min(count, middle - front)
    popFront(inFront)
    if (count > inFront) {
      middle = front + count - inFront
      popFront(count - inFront)
      flip()
    }
  }

  private[core] override def answer(): Int = {
    states.combine(States.Result, aggregateOfFront, aggregateOfBack)
    States.Result
  }

  /** Moves B to F and aggregates in the other direction: T2 for all positions. */
  private def flip(): Unit = {
    var position = end
    while (position != front) {
      position -= 1
      val below = if (position == end - 1) States.Identity else agg(position + 1)
      states.combine(agg(position), value(position), below)
    }
    middle = end
  }
}
