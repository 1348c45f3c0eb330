package org.slidewise.core.algorithms

import org.slidewise.core.state.{RingStates, States}

/**
 * FlatFAT, the Reactive Aggregator: a perfect binary tree of aggregates over a ring of elements.
 *
 * Combines: insert and evict ⌈log,,2,, n⌉ + 1 amortised and 4 n when the ring is resized; query 0, or at most
 * 2 log,,2,, n + 3 if the window wraps around the ring and the operator does not commute. Space: 2 n to 8 n states.
 *
 * Nodes are numbered as in a heap: 1 is the root, the children of i are 2 i and 2 i + 1, and the leaf of a position is
 * `capacity + (position mod capacity)`. Invariants, after each operation, for a window of v,,0,,, …, v,,n-1,,:
 *   - F1: the leaf of position `front + i` holds v,,i,,;
 *   - F2: the other leaves hold the identity;
 *   - F3: every other node holds the combination of its left and its right child.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, Wu, "General Incremental Sliding-Window Aggregation", VLDB 2015, section 3
 */
final class FlatFat[S] private[core] (ring: RingStates[S]) extends DequeAlgorithm[S](ring) {
  rebuild()

  private[algorithms] def node(i: Int): Int = if (i >= states.capacity) states.pair(i) else states.pair(i) + 1

  private[core] override def self: SlotAlgorithm[S] = this

  private[core] override def slotForInsert: Int = states.pair(end)

  private[core] override def insertLifted(): Unit = {
    refresh(end, 1) // F3
    end += 1 // F1
  }

  private[core] override def evict(): Unit = evict(1)

  private[core] override def evict(count: Int): Unit = {
    val first = front
    while (front != first + count) {
      states.identity(states.pair(front)) // F2
      front += 1
    }
    refresh(first, count)
  }

  private[core] override def answer(): Int = {
    val first = front & (states.capacity - 1)
    val wraps = first + size > states.capacity
    if (states.operator.commutative || !wraps) node(1) // F2, F3
    else {
      aggregateFrom(states.capacity + first)
      aggregateTo(states.capacity + ((end - 1) & (states.capacity - 1)))
      states.combine(States.Result, States.Result, States.A)
      States.Result
    }
  }

  /** Writes the aggregate of `leaf` and all leaves right of it to `Result`. */
  private def aggregateFrom(leaf: Int): Unit = {
    states.copy(States.Result, node(leaf))
    var i = leaf
    while (i > 1) {
      if ((i & 1) == 0) states.combine(States.Result, States.Result, node(i + 1))
      i >>= 1
    }
  }

  /** Writes the aggregate of `leaf` and all leaves left of it to `A`. */
  private def aggregateTo(leaf: Int): Unit = {
    states.copy(States.A, node(leaf))
    var i = leaf
    while (i > 1) {
      if ((i & 1) == 1) states.combine(States.A, node(i - 1), States.A)
      i >>= 1
    }
  }

  /** Restores F3 for all ancestors of the `count` leaves from `position` on. */
  private def refresh(position: Int, count: Int): Unit = {
    val capacity = states.capacity
    val first = position & (capacity - 1)
    if (first + count > capacity) {
      refreshLevels(capacity + first, 2 * capacity - 1)
      refreshLevels(capacity, first + count - 1)
    } else if (count > 0) refreshLevels(capacity + first, capacity + first + count - 1)
  }

  private def refreshLevels(firstLeaf: Int, lastLeaf: Int): Unit = {
    var first = firstLeaf >> 1
    var last = lastLeaf >> 1
    while (last >= 1) {
      var i = first
      while (i <= last) {
        states.combine(node(i), node(2 * i), node(2 * i + 1))
        i += 1
      }
      first >>= 1
      last >>= 1
    }
  }

  protected override def relocated(): Unit = rebuild()

  private def rebuild(): Unit = {
    var vacant = end
    while (vacant != front + states.capacity) {
      states.identity(states.pair(vacant)) // F2
      vacant += 1
    }
    refreshLevels(states.capacity, 2 * states.capacity - 1) // F3
  }
}
