package org.slidewise.core.algorithms

import org.slidewise.core.state.States

/** Base of algorithms over a double-ended queue of elements at the positions `front until end`, oldest first. */
private[algorithms] abstract class DequeAlgorithm[S](states: States[S]) extends SlotAlgorithm[S](states) {
  private[core] final override def makeRoom(): Unit = if (states.makeRoom(front, end)) relocated()

  /** Called after `states` has grown or shrunk. Slots that a subclass has kept are then invalid; positions are not. */
  protected def relocated(): Unit = ()

  protected final def at(position: Int): Int = states.slot(position)

  /** The slot of `position`, or of the identity if the sublist `position until bound` is empty. */
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
