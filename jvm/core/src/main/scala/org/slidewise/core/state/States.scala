package org.slidewise.core.state

import org.slidewise.core.InPlaceAggregator

/**
 * Numbered slots, each holding one partial aggregate of one operator: what the in-order algorithms compute on.
 *
 * An algorithm names slots and never sees what is in them, so that one class of it serves doubles, longs and objects.
 * The first slots are registers at fixed numbers; the others form a double-ended queue of elements, each named by its
 * position, an `Int` that counts up by one an element and may wrap around.
 *
 * @param lanes
 *   how many slots each position has: 1 or 2
 */
abstract class States[S] private[state] (val operator: InPlaceAggregator[S, _, _], lanes: Int) {

  /** Whether `clear` has anything to do. */
  final val needsClear: Boolean = !isPrimitive

  protected final val laneShift: Int = lanes - 1
  protected final var mask: Int = 0

  /** From how few to how many elements another one needs no room to be made. */
  protected final var least: Int = 0
  protected final var most: Int = -1

  /** The slot of `position`, if there is one lane. */
  final def slot(position: Int): Int = States.Registers + (position & mask)

  /** The first slot of `position`, if there are two lanes; the second is the next number. */
  final def pair(position: Int): Int = States.Registers + ((position & mask) << 1)

  protected final def first(position: Int): Int = States.Registers + ((position & mask) << laneShift)

  /** How many elements fit before storage must grow. */
  final def capacity: Int = mask + 1

  /** The array that holds `slot`. */
  def cells(slot: Int): S

  /** The index in that array of the first cell of `slot`. */
  def offset(slot: Int): Int

  /** `target` becomes the state of `older` followed by that of `newer`. */
  def combine(target: Int, older: Int, newer: Int): Unit

  /** With one lane: of how many positions up to `position` the states are side by side; at least 1. */
  def runUpTo(position: Int): Int = 1

  /** The states of the `count` positions from `from` on, a run, become the aggregates from there to the run's end. */
  def suffixes(from: Int, count: Int): Unit = ()

  /** True only if the slots of `end` are usable, and not too many are unused, for a queue of `front until end`. */
  final def hasRoom(front: Int, end: Int): Boolean = {
    val size = end - front
    size <= most && size >= least
  }

  /** Makes the slots of `end` usable, and gives back storage that is unused; true if slots moved. */
  def makeRoom(front: Int, end: Int): Boolean

  /** Whether to read a state for a second time, much later, is more than some instructions. */
  private[core] def isCostlyToRead: Boolean = operator.width >= States.Wide

  /** Whether to keep what is in a slot longer than needed keeps nothing else. */
  protected def isPrimitive: Boolean = false

  /** Forgets what the slots of `position`, the queue's first, refer to. */
  def clear(position: Int): Unit

  final def copy(target: Int, source: Int): Unit =
    operator.copy(cells(target), offset(target), cells(source), offset(source))

  final def identity(target: Int): Unit = operator.identity(cells(target), offset(target))
}

object States {

  /** The register that always holds the identity. */
  final val Identity = 0

  /** The register for the answer of a query. */
  final val Result = 1

  /** Two registers for whatever an algorithm keeps beside its queue; the identity at first. */
  final val A = 2
  final val B = 3

  private[state] final val Registers = 4

  /** From how many cells on a state is more than one line of the cache or two. */
  private[state] final val Wide = 16
}
