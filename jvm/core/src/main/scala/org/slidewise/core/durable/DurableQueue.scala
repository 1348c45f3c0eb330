package org.slidewise.core.durable

import org.slidewise.core.Aggregator
import org.slidewise.core.algorithms.DabaLite
import org.slidewise.core.state.{CellStore, KeptStates, States}

/**
 * DABA Lite over states that are kept in a store and fetched one by one: a first-in first-out queue of partial aggregates
 * that outlives the process.
 *
 * An operation makes the combines of [[DabaLite]] (query 1, insert 3, evict 2, worst case) and so touches a constant number
 * of cells; opening and closing the queue touch two each. In memory: the states touched since the queue was opened.
 *
 * @param aggregator
 *   only its `identity` and `combine` are called; what `combine` returns is never changed
 */
final class DurableQueue[A <: AnyRef](aggregator: Aggregator[_, A, _], store: CellStore[A]) {
  private[this] val states = new KeptStates(aggregator, store)
  private[this] val daba = new DabaLite(states)

  /** The number of elements. */
  def size: Int = daba.size

  /** Adds `state` as the newest element. */
  def insert(state: A): Unit = {
    states.write(daba.slotForInsert, state)
    daba.insertLifted()
  }

  /** Removes the oldest element of a queue that has one. */
  def evict(): Unit = daba.evict()

  /** The aggregate of all elements, not to be changed. */
  def query(): A = if (size == 0) states(States.Identity) else states(daba.answer())

  /** Removes all elements, and with them all that is in the store. */
  def clear(): Unit = {
    if (size > 0) daba.evict(size)
    states.removeRegisters()
  }

  /** Writes what has changed to the store and returns what [[open]] needs beside it: [[DurableQueue.Positions]] numbers. */
  def close(): Array[Int] = {
    if (size > 0) states.flush() else states.removeRegisters()
    daba.positions
  }

  /** Forgets all, and leaves the store as it is: what follows belongs to another queue. */
  def reset(): Unit = open(new Array[Int](DurableQueue.Positions))

  /** Goes on where a queue over the same store was closed. */
  def open(positions: Array[Int]): Unit = {
    states.forget()
    daba.moveTo(positions)
    if (size > 0) states.restore()
  }
}

object DurableQueue {

  /** How many numbers [[DurableQueue.close]] returns. */
  final val Positions = 7
}
