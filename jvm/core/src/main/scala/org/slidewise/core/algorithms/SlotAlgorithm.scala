package org.slidewise.core.algorithms

import org.slidewise.core.state.States

/**
 * Base of the window algorithms over slots. An algorithm decides which states to keep and when to combine them, independent of
 * their type.
 *
 * An insertion has two steps, so that the caller can lift an element of any type into its slot without boxing. Not safe for
 * concurrent use.
 */
abstract class SlotAlgorithm[S] private[algorithms] (private[core] val states: States[S]) {
  // In the base class, so that reading them needs no virtual call.
  private[algorithms] final var front: Int = 0
  private[algorithms] final var end: Int = 0

  /**
   * Returns this. Each class overrides it, so that the JIT compiler checks the class once and inlines the calls on the result.
   */
  private[core] def self: SlotAlgorithm[S]

  final def size: Int = end - front

  /** Whether the next element can be inserted without `makeRoom`. */
  private[core] final def hasRoom: Boolean = states.hasRoom(front, end)

  /** Makes room for the next element. */
  private[core] def makeRoom(): Unit

  /** The slot for the lifted state of the next element, after `makeRoom`. */
  private[core] def slotForInsert: Int = states.slot(end)

  /** Adds the element whose state is in `slotForInsert`. */
  private[core] def insertLifted(): Unit

  /** Removes the oldest element. The window must not be empty. */
  private[core] def evict(): Unit

  /** Removes the `count` oldest elements. The window must have at least `count` elements. */
  private[core] def evict(count: Int): Unit = {
    var left = count
    while (left > 0) {
      evict()
      left -= 1
    }
  }

  /** Returns the slot with the state of the whole window, valid until the next operation. */
  private[core] def answer(): Int
}
