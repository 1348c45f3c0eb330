package org.slidewise.core.algorithms

import org.slidewise.core.Invertible
import org.slidewise.core.state.States

/**
 * Subtract-on-evict: one running aggregate, from which each evicted element is subtracted.
 *
 * For operators with an inverse only. Over floating-point numbers the rounding errors of subtractions stay until the window is
 * next empty.
 *
 * Combines: insert 1, evict 0 (and one `subtract`), query 0. Space: n + 1 states.
 *
 * Invariants, after each operation, for a window of v,,0,,, …, v,,n-1,,:
 *   - S1: position `front + i` holds v,,i,,;
 *   - S2: the register `All` holds v,,0,, ⊗ … ⊗ v,,n-1,,, and exactly the identity if n = 0.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 8.3
 */
final class SubtractOnEvict[S] private[core] (states: States[S], inverse: Invertible[S])
    extends DequeAlgorithm[S](states) {
  import SubtractOnEvict.All

  private[core] override def self: SlotAlgorithm[S] = this

  private[core] override def insertLifted(): Unit = {
    states.combine(All, All, at(end)) // S2
    end += 1 // S1
  }

  private[core] override def evict(): Unit = {
    val oldest = at(front)
    val all = states.cells(All)
    val at0 = states.offset(All)
    if (size == 1) states.identity(All) // S2
    else inverse.subtract(all, at0, all, at0, states.cells(oldest), states.offset(oldest))
    popFront()
  }

  private[core] override def evict(count: Int): Unit =
    if (count < size) super.evict(count)
    else {
      states.identity(All) // S2
      popFront(count)
    }

  private[core] override def answer(): Int = All
}

private object SubtractOnEvict {
  final val All = States.A
}
