package org.slidewise.core.algorithms

import org.slidewise.core.state.{RingStates, States}

/**
 * FlatFIT, the flat and fast index traverser: partial aggregates with pointers to the position after their last element.
 * Queries follow the pointers and compress the path.
 *
 * Combines: insert 0, evict 0, query at most n - 1 and O(1) amortised over rounds of evict, insert and query. Space: n
 * states and up to 2 n indices, at most four times as many after the ring was resized.
 *
 * Invariants, after each operation, for a window of v,,0,,, …, v,,n-1,, at the positions `front` to before `end`:
 *   - X1: for each position p of the window, p < next(p) ≤ end;
 *   - X2: p holds the aggregate of the elements at p to before next(p).
 *
 * @see
 *   Shein, Chrysanthis, Labrinidis, "FlatFIT: Accelerated Incremental Sliding-Window Aggregation for Real-Time
 *   Analytics", SSDBM 2017
 */
final class FlatFit[S] private[core] (ring: RingStates[S]) extends DequeAlgorithm[S](ring) {
  private[this] var nexts: Array[Int] = new Array[Int](ring.capacity)
  private[this] var path: Array[Int] = new Array[Int](ring.capacity)

  private[algorithms] def next(position: Int): Int = nexts(position & (nexts.length - 1))

  private[core] override def self: SlotAlgorithm[S] = this

  private[core] override def insertLifted(): Unit = {
    nexts(end & (nexts.length - 1)) = end + 1 // X1, X2
    end += 1
  }

  private[core] override def evict(): Unit = popFront()

  private[core] override def evict(count: Int): Unit = popFront(count)

  private[core] override def answer(): Int =
    if (front == end) States.Identity
    else {
      var steps = 0
      var last = front
      while (next(last) != end) {
        path(steps) = last
        steps += 1
        last = next(last)
      }
      while (steps > 0) {
        steps -= 1
        val position = path(steps)
        states.combine(at(position), at(position), at(last)) // X2
        nexts(position & (nexts.length - 1)) = end // X1
        last = position
      }
      at(front)
    }

  protected override def relocated(): Unit = {
    val to = new Array[Int](states.capacity)
    var position = front
    while (position != end) {
      to(position & (to.length - 1)) = next(position)
      position += 1
    }
    nexts = to
    path = new Array[Int](states.capacity)
  }
}
