package org.slidewise.core.frames

/**
 * Partial aggregates in numbered slots, over elements that can be read again by position.
 *
 * The interface between a [[FrameAlgorithm]], which decides which slots to combine, and the storage of states (primitive
 * arrays, pages of rows, objects) and elements (an array, a spillable log). Positions start at zero in each sequence of
 * elements. All methods keep the order of elements, with older ones on the left.
 *
 * [[combines]] counts one for each accumulated element and one for each [[combine]]. A lift counts none.
 */
trait FrameStates {

  /**
   * Makes slots `0 until slots` addressable if there is enough memory. Keeps the contents of existing slots.
   *
   * @return
   *   whether it did; otherwise nothing has changed
   */
  def tryReserve(slots: Int): Boolean

  /**
   * Makes slots `0 until slots` addressable and keeps the contents of existing slots. Throws the implementation's out-of-memory
   * error if there is not enough memory.
   */
  def reserve(slots: Int): Unit

  /** Makes slots 0 and 1 addressable, of which slot 1 only ever holds the aggregate of no elements. Otherwise as [[reserve]]. */
  def reserveBesideEmpty(): Unit = reserve(2)

  /** Sets `slot` to the aggregate of no elements. */
  def clear(slot: Int): Unit

  /** Appends the elements at positions `from until until` to `slot`, one after the other. */
  def accumulate(slot: Int, from: Long, until: Long): Unit

  /** Sets slot `first + i` to the aggregate of the element at `from + i`, for all positions below `until`. */
  def lift(first: Int, from: Long, until: Long): Unit

  /** Sets `target` to the combination of `older` and `newer`. `target` may be `older` but not `newer`. */
  def combine(target: Int, older: Int, newer: Int): Unit

  /** The number of operator applications so far. */
  def combines: Long
}

/**
 * Thrown by [[FrameStates.accumulate]], [[FrameStates.lift]] and [[FrameStates.combine]] if the states in the slots that
 * [[FrameStates.tryReserve]] granted have outgrown the memory. The contents of these slots are lost. The caller can continue
 * with fewer slots, granted by [[FrameStates.reserve]].
 */
final class StatesOutgrown
    extends RuntimeException("the states have outgrown their memory", null, false, false)
