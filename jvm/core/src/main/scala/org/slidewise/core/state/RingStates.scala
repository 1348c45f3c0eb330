package org.slidewise.core.state

import org.slidewise.core.InPlaceAggregator

/**
 * One array: registers, then a ring whose size is a power of two.
 *
 * The fastest storage. An insertion doubles it when it is full and halves it when three quarters are empty: O(1)
 * amortised and O(n) worst-case copies of states, no combines. Takes at most `max(4 n, minCapacity)` slots of each lane at a
 * size n that it has had for a while: evictions alone give nothing back.
 *
 * @param minCapacity
 *   the least number of elements to have room for: a power of two
 */
final class RingStates[S](operator: InPlaceAggregator[S, _, _], lanes: Int, minCapacity: Int)
    extends States[S](operator, lanes, States.Registers) {
  import RingStates._
  import States.Registers

  def this(operator: InPlaceAggregator[S, _, _], lanes: Int) = this(operator, lanes, RingStates.MinCapacity)

  private[this] var all: S = allocate(minCapacity.toLong)
  private[this] var sparse: Int = 0
  private[this] var roomy: Int = minCapacity
  mask = minCapacity - 1
  (0 until Registers).foreach(identity)

  override def cells(slot: Int): S = all

  override def offset(slot: Int): Int = slot << widthShift

  override def combine(target: Int, older: Int, newer: Int): Unit = {
    val c = all
    operator.combine(c, target << widthShift, c, older << widthShift, c, newer << widthShift)
  }

  override def hasRoom(front: Int, end: Int): Boolean = {
    val excess = end - front - sparse
    excess >= 0 && excess < roomy
  }

  override def makeRoom(front: Int, end: Int): Boolean =
    if (hasRoom(front, end)) false
    else resize(front, end, if (end - front < sparse) capacity / 2L else capacity * 2L)

  override def clear(position: Int): Unit = {
    val slot = first(position)
    operator.clear(all, slot << widthShift)
    if (laneShift == 1) operator.clear(all, (slot + 1) << widthShift)
  }

  private def resize(front: Int, end: Int, capacity: Long): Boolean = {
    val to = allocate(capacity)
    (0 until Registers).foreach(r => operator.copy(to, r << widthShift, all, r << widthShift))
    var position = front
    while (position != end) {
      val source = first(position)
      val target = Registers + ((position & (capacity.toInt - 1)) << laneShift)
      var lane = 0
      while (lane <= laneShift) {
        operator.copy(to, (target + lane) << widthShift, all, (source + lane) << widthShift)
        lane += 1
      }
      position += 1
    }
    all = to
    mask = capacity.toInt - 1
    sparse = if (capacity == minCapacity) 0 else capacity.toInt / 4
    roomy = capacity.toInt - sparse
    true
  }

  private def allocate(capacity: Long): S = {
    val needed = (Registers + (capacity << laneShift)) << widthShift
    if (needed > MaxCells)
      throw new IllegalStateException(
        s"A window of $capacity elements needs $needed cells, more than one array can hold ($MaxCells): " +
          "evict sooner, or take the chunked form of the algorithm"
      )
    operator.allocate(needed.toInt)
  }
}

object RingStates {

  /** What `minCapacity` is if nobody says. */
  final val MinCapacity = 16
  private final val MaxCells = Int.MaxValue - 8
}
