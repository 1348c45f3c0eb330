package org.slidewise.core.state

import java.util.{HashMap, NoSuchElementException}

import org.slidewise.core.{Aggregator, ObjectAggregator}

/** Where the states of a queue outlive the process: cells, named by numbers. */
trait CellStore[A] {

  /** The state in `cell`, which has been saved and not removed. */
  def load(cell: Int): A

  def save(cell: Int, state: A): Unit

  def remove(cell: Int): Unit
}

/**
 * Registers and a queue of elements in a [[CellStore]], of which only those are in memory that have been asked for since the
 * last [[flush]]. Never moves a state and has no capacity.
 *
 * A cell's number is the element's position modulo 2^30^; the registers that are kept are at [[KeptStates.RegisterCells]].
 */
final class KeptStates[A <: AnyRef](aggregator: Aggregator[_, A, _], store: CellStore[A])
    extends States[Array[AnyRef]](ObjectAggregator.of(aggregator), 1) {
  import KeptStates._

  mask = Positions - 1
  most = mask

  private[this] val registers = Array.fill[AnyRef](States.Registers)(aggregator.identity)
  private[this] val touched = new HashMap[Int, Entry[A]]

  private[this] var registersAreSaved = false

  private def read(slot: Int): A =
    if (slot < States.Registers) registers(slot).asInstanceOf[A] else entry(slot).state

  private def entry(slot: Int): Entry[A] = {
    var found = touched.get(slot)
    if (found == null) {
      found = new Entry(store.load(slot - States.Registers), changed = false, isSaved = true)
      touched.put(slot, found)
    }
    found
  }

  /** Writes `state` to `slot`: a register, that of a new element, or one that has been read. */
  def write(slot: Int, state: A): Unit =
    if (slot < States.Registers) registers(slot) = state
    else {
      val old = touched.get(slot)
      touched.put(slot, new Entry(state, changed = true, isSaved = old != null && old.isSaved))
    }

  override def combine(target: Int, older: Int, newer: Int): Unit =
    write(target, aggregator.combine(read(older), read(newer)))

  /** The state in `slot`. */
  def apply(slot: Int): A = read(slot)

  override def clear(position: Int): Unit = {
    val old = touched.remove(slot(position))
    if (old == null || old.isSaved) store.remove(slot(position) - States.Registers)
  }

  /** Saves what has changed since the last time, and forgets what is in memory but for the registers. */
  def flush(): Unit = {
    touched.forEach((slot, entry) => if (entry.changed) store.save(slot - States.Registers, entry.state))
    touched.clear()
    store.save(RegisterCells, read(States.A))
    store.save(RegisterCells + 1, read(States.B))
    registersAreSaved = true
  }

  /** Takes the registers out of the store, in which no element is left. */
  def removeRegisters(): Unit = if (registersAreSaved) {
    store.remove(RegisterCells)
    store.remove(RegisterCells + 1)
    registersAreSaved = false
  }

  /** Forgets what is in memory, changed or not: what follows belongs to another queue. */
  def forget(): Unit = {
    touched.clear()
    registersAreSaved = false
  }

  /** Takes the registers from the store. */
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

object KeptStates {
  private final val Positions = 1 << 30

  /** The first of the two cells of the registers: above those of all positions. */
  final val RegisterCells: Int = Positions

  final private class Entry[A](val state: A, val changed: Boolean, val isSaved: Boolean)
}
