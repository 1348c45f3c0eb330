package org.slidewise.core.frames

/**
 * Partial aggregates kept in numbered slots, over elements that can be read again by position.
 *
 * It is the seam between a frame algorithm, which only decides which slots to combine, and whatever holds the
 * states (primitive arrays, pages of rows, objects) and the elements (an array, a spillable log). Positions count
 * from zero within one sequence of elements. Every aggregation keeps order: in all methods older elements are on
 * the left.
 *
 * Implementations count what they do in [[combines]]: one for each element accumulated, one for each
 * [[combine]], and none for a lift.
 */
trait FrameStates {

  /**
   * Makes slots `0 until slots` addressable, if there is memory to spare; keeps the contents of those that were.
   *
   * @return
   *   whether it did; if not, nothing has changed
   */
  def tryReserve(slots: Int): Boolean

  /** As [[tryReserve]], but fails with the holder's own out-of-memory error where it cannot be done. */
  def reserve(slots: Int): Unit

  /** Makes `slot` the aggregate of no elements. */
  def clear(slot: Int): Unit

  /** Appends the elements at positions `from until until` to `slot`, one after the other. */
  def accumulate(slot: Int, from: Long, until: Long): Unit

  /** Makes slot `first + i` the aggregate of the one element at `from + i`, for all positions below `until`. */
  def lift(first: Int, from: Long, until: Long): Unit

  /** Makes `target` the aggregate of `older` followed by `newer`; `target` may be `older`, not `newer`. */
  def combine(target: Int, older: Int, newer: Int): Unit

  /** How many operator applications this has made so far. */
  def combines: Long
}

/**
 * Thrown by [[FrameStates.lift]] and [[FrameStates.combine]] when the states in the slots that
 * [[FrameStates.tryReserve]] granted have grown beyond what there is room for. Those slots are lost; fewer, asked for
 * with [[FrameStates.reserve]], may still do.
 */
final class StatesOutgrown
    extends RuntimeException("the states have outgrown their memory", null, false, false)
