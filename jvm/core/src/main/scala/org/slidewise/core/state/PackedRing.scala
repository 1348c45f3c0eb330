package org.slidewise.core.state

import org.slidewise.core.InPlaceAggregator
import org.slidewise.core.state.States.Registers

/** A ring in one array, state beside state: for operators whose states are a few cells. */
final class PackedRing[S] private[state] (
    operator: InPlaceAggregator[S, _, _],
    lanes: Int,
    minCapacity: Int
) extends RingStates[S](operator, lanes, minCapacity) {

  private[this] val widthShift: Int = 32 - Integer.numberOfLeadingZeros(operator.width - 1)
  require(minCapacity.toLong)
  private[this] var all: S = allocate(minCapacity)
  (0 until Registers).foreach(identity)

  override def cells(slot: Int): S = all

  override def offset(slot: Int): Int = slot << widthShift

  override def combine(target: Int, older: Int, newer: Int): Unit = {
    val c = all
    operator.combine(c, target << widthShift, c, older << widthShift, c, newer << widthShift)
  }

  override def runUpTo(position: Int): Int = (position & mask) + 1

  override def suffixes(from: Int, count: Int): Unit =
    operator.suffixes(all, offset(slot(from)), 1 << widthShift, count)

  override def clear(position: Int): Unit = {
    val slot = first(position)
    operator.clear(all, slot << widthShift)
    if (laneShift == 1) operator.clear(all, (slot + 1) << widthShift)
  }

  protected override def move(front: Int, end: Int, capacity: Int): Unit = {
    val to = allocate(capacity)
    (0 until Registers).foreach(r => operator.copy(to, r << widthShift, all, r << widthShift))
    var position = front
    while (position != end) {
      val source = first(position)
      val target = Registers + ((position & (capacity - 1)) << laneShift)
      var lane = 0
      while (lane <= laneShift) {
        operator.copy(to, (target + lane) << widthShift, all, (source + lane) << widthShift)
        lane += 1
      }
      position += 1
    }
    all = to
  }

  private def allocate(capacity: Int): S =
    operator.allocate((slotsFor(capacity.toLong) << widthShift).toInt)

  protected override def require(capacity: Long): Unit = {
    val needed = slotsFor(capacity) << widthShift
    if (needed > RingStates.MaxCells) RingStates.tooMany(capacity, s"$needed cells")
  }
}
