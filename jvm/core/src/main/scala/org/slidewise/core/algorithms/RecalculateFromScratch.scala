package org.slidewise.core.algorithms

import org.slidewise.core.state.States

/**
 * Recalculate-from-scratch: combines all elements at each query.
 *
 * Combines: insert 0, evict 0, query n. Space: n states.
 *
 * Invariants, after each operation, for a window of v,,0,,, …, v,,n-1,,:
 *   - R1: position `front + i` holds v,,i,,.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 8.1
 */
final class RecalculateFromScratch[S] private[core] (states: States[S]) extends DequeAlgorithm[S](states) {

  private[core] override def self: SlotAlgorithm[S] = this

  private[core] override def insertLifted(): Unit = end += 1 // R1

  private[core] override def evict(): Unit = popFront() // R1

  private[core] override def answer(): Int = {
    states.identity(States.Result)
    var position = front
    while (position != end) {
      states.combine(States.Result, States.Result, at(position))
      position += 1
    }
    States.Result
  }
}
