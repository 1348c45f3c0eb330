package org.slidewise.core.algorithms

import org.slidewise.core.state.States

/**
 * An in-order algorithm, on slots: which states it keeps and when it combines them, whatever they are.
 *
 * An insertion has two halves, so that the caller can lift an element of any type, unboxed, right into its place.
 */
abstract class SlotAlgorithm[S] private[algorithms] (private[core] val states: States[S]) {

  def size: Int

  /** Whether the next element can be inserted as storage is. */
  private[core] def hasRoom: Boolean

  /** Makes room for the next element. */
  private[core] def makeRoom(): Unit

  /** The slot to write the next element's lifted state to, once there is room. */
  private[core] def slotForInsert: Int

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
