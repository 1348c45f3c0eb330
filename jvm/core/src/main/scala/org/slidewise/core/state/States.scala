package org.slidewise.core.state

import org.slidewise.core.InPlaceAggregator

/**
 * Storage of an in-order algorithm: numbered slots with one partial aggregate each.
 *
 * An algorithm works on slot numbers only, so that one class serves doubles, longs and objects. The first slots are registers
 * with fixed numbers. The others form a double-ended queue of elements. An element's position is an `Int` that increases by
 * one for each element and may wrap around. Not safe for concurrent use.
 *
 * @param lanes
 *   the number of slots of each position: 1 or 2
 */
abstract class States[S] private[state] (val operator: InPlaceAggregator[S, _, _], lanes: Int) {

  /** Whether `clear` has anything to do. */
  final val needsClear: Boolean = !isPrimitive

  protected final val laneShift: Int = lanes - 1
  protected final var mask: Int = 0

  /** With a size in this range, the next element needs no call of `makeRoom`. */
  protected final var least: Int = 0
  protected final var most: Int = -1

  /** The slot of `position`, if there is one lane. */
  final def slot(position: Int): Int = States.Registers + (position & mask)

  /** The first slot of `position`, if there are two lanes; the second is the next number. */
  final def pair(position: Int): Int = States.Registers + ((position & mask) << 1)

  protected final def first(position: Int): Int = States.Registers + ((position & mask) << laneShift)

  /** The number of elements that fit before the storage must grow. */
  final def capacity: Int = mask + 1

  /** The array that holds `slot`. */
  def cells(slot: Int): S

  /** The index in that array of the first cell of `slot`. */
  def offset(slot: Int): Int

  /** Writes the combination of `older` and `newer` to `target`, which may be one of them. */
  def combine(target: Int, older: Int, newer: Int): Unit

  /** With one lane: the number of positions up to `position` whose states are adjacent in one array; at least 1. */
  def runUpTo(position: Int): Int = 1

  /** Replaces each of the `count` adjacent states from `from` on by the aggregate from it to the last of them. */
  def suffixes(from: Int, count: Int): Unit = ()

  /** Whether a queue of `front until end` can take another element without growing or shrinking the storage. */
  final def hasRoom(front: Int, end: Int): Boolean = {
    val size = end - front
    size <= most && size >= least
  }

  /** Grows the storage for an element at `end`, or shrinks it. Returns true if slots moved. */
  def makeRoom(front: Int, end: Int): Boolean

  /** Whether reading a state again later is expensive: wide states, or states in a store. */
  private[core] def isCostlyToRead: Boolean = operator.width >= States.Wide

  /** Whether cells hold no references, so that evicted states need not be cleared. */
  protected def isPrimitive: Boolean = false

  /** Clears the slots of `position`, the first of the queue. */
  def clear(position: Int): Unit

  final def copy(target: Int, source: Int): Unit =
    operator.copy(cells(target), offset(target), cells(source), offset(source))

  final def identity(target: Int): Unit = operator.identity(cells(target), offset(target))
}

object States {

  /** The register that always holds the identity. */
  final val Identity = 0

  /** The register for the result of a query. */
  final val Result = 1

  /** Two registers for the algorithm, initially the identity. */
  final val A = 2
  final val B = 3

  private[state] final val Registers = 4

  /** The width from which a state exceeds two cache lines. */
  private[state] final val Wide = 16
}
