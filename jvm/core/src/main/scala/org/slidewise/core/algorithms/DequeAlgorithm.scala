package org.slidewise.core.algorithms

import org.slidewise.core.state.States

/** An algorithm over a double-ended queue of elements, from the oldest at `front` to before `end`. */
private[algorithms] abstract class DequeAlgorithm[S](states: States[S]) extends SlotAlgorithm[S](states) {
  private[core] final override def makeRoom(): Unit = if (states.makeRoom(front, end)) relocated()

  /** Called when `states` has grown or shrunk: what was kept by slot and not by position is void. */
  protected def relocated(): Unit = ()

  protected final def at(position: Int): Int = states.slot(position)

  /** The slot of `position`, or the identity's if the sublist from there to before `bound` is empty. */
  protected final def firstOf(position: Int, bound: Int): Int =
    if (position == bound) States.Identity else states.slot(position)

  protected final def popFront(): Unit = {
    if (states.needsClear) states.clear(front)
    front += 1
  }

  protected final def popFront(count: Int): Unit = {
    val until = front + count
    if (states.needsClear) while (front != until) popFront()
    front = until
  }
}
