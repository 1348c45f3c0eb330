package org.slidewise.core

/**
 * First-in first-out window that returns the aggregate of its elements: the abstract data type SWAG.
 *
 * Not safe for concurrent use.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 2.1
 */
@Stable
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

  /**
   * Removes the `count` oldest elements, with at most as many combines as `count` calls of `evict()`.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `count` is negative
   * @throws java.util.NoSuchElementException
   *   if the window holds fewer elements; the window is then unchanged
   */
  def evict(count: Int): Unit

  /** The aggregate of the elements, oldest first. The lowered identity if the window is empty. */
  def query(): Out
}
