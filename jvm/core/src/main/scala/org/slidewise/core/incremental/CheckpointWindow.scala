package org.slidewise.core.incremental

import java.util.NoSuchElementException

import org.slidewise.core.SlidingAggregator

/**
 * Base of windows that store checkpoints only: the elements that can still become part of a result.
 *
 * Positions count the inserted elements from 0. The window has the positions from [[start]] until [[end]]. Not safe for
 * concurrent use.
 *
 * @see
 *   Dani, Getta, "Incremental computation of aggregate operators over sliding windows", section 7.4
 */
abstract class CheckpointWindow[-In, +Out] private[incremental] () extends SlidingAggregator[In, Out] {
  private var first = 0L
  private var next = 0L

  /** The position of the window's oldest element. */
  final def start: Long = first

  /** The position of the next element. */
  final def end: Long = next

  final def size: Int = (next - first).toInt

  final def insert(in: In): Unit = {
    enter(in, next)
    next += 1
  }

  final def evict(): Unit = {
    if (first == next)
      throw new NoSuchElementException("evict on an empty window: insert first, or ask for its size")
    leave(first)
    first += 1
  }

  /**
   * Removes the `count` oldest elements.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `count` is negative
   * @throws java.util.NoSuchElementException
   *   if the window has fewer elements; the window is then unchanged
   */
  final def evict(count: Int): Unit = {
    require(count >= 0, s"count must not be negative, but is $count")
    if (count > size)
      throw new NoSuchElementException(
        s"evict of $count elements from a window of $size: ask for its size first"
      )
    val until = first + count
    while (first < until) evict()
  }

  /** The number of checkpoints in memory. */
  def checkpoints: Int

  /** Adds the newest element, at `position`. */
  protected def enter(in: In, position: Long): Unit

  /** Removes the oldest element, at `position`. */
  protected def leave(position: Long): Unit
}
