package org.slidewise.core.state

import java.util.{LinkedHashMap, Map => JavaMap, NoSuchElementException}

import org.slidewise.core.{Aggregator, ObjectAggregator}

/** Storage for the states of a queue that outlives the process: numbered cells of one state each. */
trait CellStore[A] {

  /** The state in `cell`, which has been saved and not removed. */
  def load(cell: Int): A

  /** Stores `state` in `cell`, replacing the state that is there. */
  def save(cell: Int, state: A): Unit

  /** Removes the state in `cell`, which has been saved and not removed. */
  def remove(cell: Int): Unit
}

/**
 * Write-back cache of a queue's states in a [[CellStore]]. Never moves a state and has no capacity of its own.
 *
 * '''Memory.''' At most `maxCached` states of elements, least recently used first out, and the registers. A changed state that
 * leaves the cache is saved first. The algorithms touch a constant number of positions near one another, so that a small
 * cache rarely reads a state twice.
 *
 * The cell of an element is its position modulo 2^30^. The saved registers are in the two cells from
 * [[CachedStates.RegisterCells]] on.
 *
 * @param maxCached
 *   the greatest number of elements' states in memory; at least [[CachedStates.MinCached]]
 */
final class CachedStates[A <: AnyRef](aggregator: Aggregator[_, A, _], store: CellStore[A], maxCached: Int)
    extends States[Array[AnyRef]](ObjectAggregator.of(aggregator), 1) {
  import CachedStates._

  if (maxCached < MinCached)
    throw new IllegalArgumentException(s"maxCached is $maxCached: it must be $MinCached or more")

  mask = Positions - 1
  most = mask

  private[this] val registers = Array.fill[AnyRef](States.Registers)(aggregator.identity)
  private[this] val cache = new LinkedHashMap[Int, Entry[A]](16, 0.75f, true) {
    override def removeEldestEntry(eldest: JavaMap.Entry[Int, Entry[A]]): Boolean = size > maxCached && {
      save(eldest.getKey, eldest.getValue)
      true
    }
  }

  private[this] var registersAreSaved = false

  /** The number of elements' states in memory. */
  def cached: Int = cache.size

  private def save(slot: Int, entry: Entry[A]): Unit =
    if (entry.changed) store.save(slot - States.Registers, entry.state)

  private def read(slot: Int): A =
    if (slot < States.Registers) registers(slot).asInstanceOf[A] else entry(slot).state

  private def entry(slot: Int): Entry[A] = {
    var found = cache.get(slot)
    if (found == null) {
      found = new Entry(store.load(slot - States.Registers), changed = false, isSaved = true)
      cache.put(slot, found)
    }
    found
  }

  /**
   * Writes `state` to `slot`: a register, the slot of a new element, or one of the last [[CachedStates.MinCached]] slots that
   * have been read.
   */
  def write(slot: Int, state: A): Unit =
    if (slot < States.Registers) registers(slot) = state
    else {
      val old = cache.get(slot)
      cache.put(slot, new Entry(state, changed = true, isSaved = old != null && old.isSaved))
    }

  override def combine(target: Int, older: Int, newer: Int): Unit =
    write(target, aggregator.combine(read(older), read(newer)))

  /** The state in `slot`. */
  def apply(slot: Int): A = read(slot)

  override def clear(position: Int): Unit = {
    val old = cache.remove(slot(position))
    if (old == null || old.isSaved) store.remove(slot(position) - States.Registers)
  }

  /** Saves the states that have changed since the last call, and empties the cache. Keeps the registers. */
  def flush(): Unit = {
    cache.forEach((slot, entry) => save(slot, entry))
    cache.clear()
    store.save(RegisterCells, read(States.A))
    store.save(RegisterCells + 1, read(States.B))
    registersAreSaved = true
  }

  /** Removes the registers from the store, once the queue is empty. */
  def removeRegisters(): Unit = if (registersAreSaved) {
    store.remove(RegisterCells)
    store.remove(RegisterCells + 1)
    registersAreSaved = false
  }

  /** Empties the cache without saving: the next operation belongs to another queue. */
  def forget(): Unit = {
    cache.clear()
    registersAreSaved = false
  }

  /** Loads the registers from the store. */
  def restore(): Unit = {
    write(States.A, store.load(RegisterCells))
    write(States.B, store.load(RegisterCells + 1))
    registersAreSaved = true
  }

  private[core] override def isCostlyToRead: Boolean = true

  override def makeRoom(front: Int, end: Int): Boolean = false

  override def cells(slot: Int): Array[AnyRef] = noArray()
  override def offset(slot: Int): Int = noArray()

  private def noArray(): Nothing = throw new NoSuchElementException("the states are in no array")
}

object CachedStates {
  private final val Positions = 1 << 30

  /** The smallest cache: every state that one operation of an algorithm reads or writes. */
  final val MinCached = 16

  /** The first of the two cells of the registers, which follow the cells of all positions. */
  final val RegisterCells: Int = Positions

  /** A state in memory; `isSaved` if the store has a state in its cell, `changed` if it has not this one. */
  final private class Entry[A](val state: A, val changed: Boolean, val isSaved: Boolean)
}
