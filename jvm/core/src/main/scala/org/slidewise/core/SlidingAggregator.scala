package org.slidewise.core

/**
 * A first-in first-out window that knows the aggregate of its elements: the abstract data type SWAG.
 *
 * Not safe for concurrent use.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 2.1
 */
trait SlidingAggregator[-In, +Out] {

  /** The number of elements in the window. */
  def size: Int

  /** Adds `in` as the newest element. */
  def insert(in: In): Unit

  /**
   * Removes the oldest element.
   *
   * @throws java.util.NoSuchElementException
   *   if the window is empty
   */
  def evict(): Unit

  /** The aggregate of the window's elements, oldest first; of an empty window, the lowered identity. */
  def query(): Out
}
