package org.slidewise.core.state

import org.slidewise.core.InPlaceAggregator
import org.slidewise.core.state.States.Registers

/**
 * Ring with one array for each state, for operators with wide states.
 *
 * Growing moves references and no cells. All states begin at index 0, a constant, so that the compiler can vectorise a
 * `combine` over all cells.
 */
final class SpreadRing[S] private[state] (
    operator: InPlaceAggregator[S, _, _],
    lanes: Int,
    minCapacity: Int
) extends RingStates[S](operator, lanes, minCapacity, 1) {

  private[this] var table: Array[AnyRef] = filled(slotsFor(minCapacity))
  (0 until Registers).foreach(identity)

  override def cells(slot: Int): S = table(slot).asInstanceOf[S]

  override def offset(slot: Int): Int = 0

  override def combine(target: Int, older: Int, newer: Int): Unit =
    operator.combine(cells(target), 0, cells(older), 0, cells(newer), 0)

  override def clear(position: Int): Unit = {
    val slot = first(position)
    operator.clear(cells(slot), 0)
    if (laneShift == 1) operator.clear(cells(slot + 1), 0)
  }

  protected override def move(front: Int, end: Int, capacity: Int): Unit = {
    val to = new Array[AnyRef](slotsFor(capacity))
    System.arraycopy(table, 0, to, 0, Registers)
    var position = front
    while (position != end) {
      val target = Registers + ((position & (capacity - 1)) << laneShift)
      System.arraycopy(table, first(position), to, target, 1 << laneShift)
      position += 1
    }
    table = to
    fill()
  }

  private def slotsFor(elements: Int): Int = Registers + (elements << laneShift)

  private def filled(slots: Int): Array[AnyRef] = {
    table = new Array[AnyRef](slots)
    fill()
    table
  }

  private def fill(): Unit = {
    var slot = 0
    while (slot < table.length) {
      if (table(slot) == null) table(slot) = operator.allocate(operator.width).asInstanceOf[AnyRef]
      slot += 1
    }
  }
}
