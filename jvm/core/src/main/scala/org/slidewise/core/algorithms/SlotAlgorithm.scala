package org.slidewise.core.algorithms

import org.slidewise.core.state.States

/**
 * An in-order algorithm, on slots: which states it keeps and when it combines them, whatever they are.
 *
 * An insertion has two halves, so that the caller can lift an element of any type, unboxed, right into its place.
 */
abstract class SlotAlgorithm[S] private[algorithms] (private[core] val states: States[S]) {
  // Here, and not in the classes below, so that a call needs no look at which of them it is.
  private[algorithms] final var front: Int = 0
  private[algorithms] final var end: Int = 0

  /**
   * This; each class says it of itself. Called first, it has the compiler look at the class once and know it in all that is
   * called of the result.
   */
  private[core] def self: SlotAlgorithm[S]

  final def size: Int = end - front

  /** True only if the next element can be inserted as storage is. */
  private[core] final def hasRoom: Boolean = states.hasRoom(front, end)

  /** Makes room for the next element. */
  private[core] def makeRoom(): Unit

  /** The slot to write the next element's lifted state to, once there is room. */
  private[core] def slotForInsert: Int = states.slot(end)

  /** Adds the element whose state was written to `slotForInsert`. */
  private[core] def insertLifted(): Unit

  /** Removes the oldest element of a window that has one. */
  private[core] def evict(): Unit

  /** Removes the `count` oldest elements of a window that has them. */
  private[core] def evict(count: Int): Unit = {
    var left = count
    while (left > 0) {
      evict()
      left -= 1
    }
  }

  /** The slot that holds the state of the whole window, until the next operation. */
  private[core] def answer(): Int
}
