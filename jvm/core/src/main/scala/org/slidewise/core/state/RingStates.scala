package org.slidewise.core.state

import org.slidewise.core.InPlaceAggregator

/**
 * Registers, then a ring whose size is a power of two.
 *
 * The fastest storage. An insertion doubles it when it is full and halves it when three quarters are empty: O(1)
 * amortised and O(n) worst-case moves of states, no combines. Takes at most `max(4 n, minCapacity)` slots of each lane at a
 * size n that it has had for a while: evictions alone give nothing back.
 *
 * @param minCapacity
 *   the least number of elements to have room for: a power of two
 * @param cellsOfSlot
 *   how many cells of one array a slot takes
 */
abstract class RingStates[S] private[state] (
    operator: InPlaceAggregator[S, _, _],
    lanes: Int,
    minCapacity: Int,
    cellsOfSlot: Int
) extends States[S](operator, lanes) {

  /** The largest power of two of elements for which an array has the cells. */
  private[this] val maxCapacity: Int =
    Integer.highestOneBit((RingStates.MaxCells / cellsOfSlot - States.Registers) >> laneShift)

  if (minCapacity > maxCapacity) tooMany()
  hold(minCapacity)

  private def hold(capacity: Int): Unit = {
    mask = capacity - 1
    most = capacity - 1
    least = if (capacity == minCapacity) 0 else capacity / 4
  }

  override final def makeRoom(front: Int, end: Int): Boolean = !hasRoom(front, end) && resize(front, end)

  private def resize(front: Int, end: Int): Boolean = {
    val isFull = end - front == capacity
    if (isFull && capacity == maxCapacity) tooMany()
    val newCapacity = if (isFull) capacity << 1 else capacity >> 1
    move(front, end, newCapacity)
    hold(newCapacity)
    true
  }

  protected override final def isPrimitive: Boolean = !operator.allocate(0).isInstanceOf[Array[AnyRef]]

  /** Makes the ring one of `capacity` elements, each of `front until end` at its new slot. */
  protected def move(front: Int, end: Int, capacity: Int): Unit

  private def tooMany(): Nothing =
    throw new IllegalStateException(
      s"A ring holds at most $maxCapacity of these states: evict sooner, or take the chunked form of the algorithm"
    )
}

object RingStates {

  /** What `minCapacity` is if nobody says. */
  final val MinCapacity = 16
  private final val MaxCells = Int.MaxValue - 8

  def of[S](
      operator: InPlaceAggregator[S, _, _],
      lanes: Int,
      minCapacity: Int = MinCapacity
  ): RingStates[S] = {
    val ring: RingStates[_] =
      if (operator.width >= States.Wide) new SpreadRing(operator, lanes, minCapacity)
      else
        (operator.allocate(0): Any) match {
          case _: Array[Double] =>
            DoublePackedRing.of(operator.asInstanceOf[Over[Double]], lanes, minCapacity)
          case _: Array[Long] => LongPackedRing.of(operator.asInstanceOf[Over[Long]], lanes, minCapacity)
          case _              => AnyRefPackedRing.of(operator.asInstanceOf[Over[AnyRef]], lanes, minCapacity)
        }
    ring.asInstanceOf[RingStates[S]]
  }

  private type Over[A] = InPlaceAggregator[Array[A], _, _]
}
