package org.slidewise.core.durable

import org.slidewise.core.Aggregator
import org.slidewise.core.algorithms.DabaLite
import org.slidewise.core.state.{CachedStates, CellStore, States}

/**
 * First-in first-out queue of partial aggregates in a store: DABA Lite over states that outlive the process and are loaded
 * one by one.
 *
 * Combines, worst case: query 1, insert 3, evict 2, as [[DabaLite]]. Each operation reads and writes a constant number of
 * cells; [[open]] and [[close]] access two more. Memory: at most `maxCached` states and six registers. Without the limit, a
 * batch with many elements of one key would load the whole queue. Not safe for concurrent use.
 *
 * @param aggregator
 *   only its `identity` and `combine` are called; the results of `combine` are never changed
 * @param maxCached
 *   the greatest number of states in memory, beside the registers; at least
 *   [[org.slidewise.core.state.CachedStates.MinCached]]
 */
final class DurableQueue[A <: AnyRef](
    aggregator: Aggregator[_, A, _],
    store: CellStore[A],
    maxCached: Int = DurableQueue.DefaultMaxCached
) {
  private[this] val states = new CachedStates(aggregator, store, maxCached)
  private[this] val daba = new DabaLite(states)

  /** The number of elements. */
  def size: Int = daba.size

  /** The number of states in memory, beside the registers. */
  def cached: Int = states.cached

  /** Adds `state` as the newest element. */
  def insert(state: A): Unit = {
    states.write(daba.slotForInsert, state)
    daba.insertLifted()
  }

  /** Removes the oldest element of a queue that has one. */
  def evict(): Unit = daba.evict()

  /** The aggregate of all elements, not to be changed. */
  def query(): A = if (size == 0) states(States.Identity) else states(daba.answer())

  /** Removes all elements, and every cell of the queue from the store. */
  def clear(): Unit = {
    if (size > 0) daba.evict(size)
    states.removeRegisters()
  }

  /** Saves the changed states and returns the [[DurableQueue.Positions]] numbers that [[open]] needs beside the store. */
  def close(): Array[Int] = {
    if (size > 0) states.flush() else states.removeRegisters()
    daba.positions
  }

  /** Drops all states from memory and leaves the store unchanged: the next operation belongs to another queue. */
  def reset(): Unit = open(new Array[Int](DurableQueue.Positions))

  /**
   * Continues a queue over the same store that was closed with `positions`.
   *
   * @throws java.lang.IllegalArgumentException
   *   if no queue can be closed with these positions
   */
  def open(positions: Array[Int]): Unit = {
    states.forget()
    daba.moveTo(positions)
    if (size > 0) states.restore()
  }
}

object DurableQueue {

  /** The number of positions that [[DurableQueue.close]] returns. */
  final val Positions = 7

  /** The limit of states in memory unless the caller sets one. */
  final val DefaultMaxCached = 256
}
