package org.slidewise.core.state

import org.slidewise.core.InPlaceAggregator

/**
 * Storage in a ring whose size is a power of two, behind the registers. The fastest storage.
 *
 * An insertion doubles the ring if it is full and halves it if three quarters are empty: O(1) amortised and O(n) worst-case
 * moves of states, no combines. Memory: at most `max(4 n, minCapacity)` slots of each lane after insertions at size n.
 * Evictions do not shrink the ring.
 *
 * @param minCapacity
 *   the smallest capacity in elements: a power of two
 * @param cellsOfSlot
 *   the number of cells of one array that a slot takes
 */
abstract class RingStates[S] private[state] (
    operator: InPlaceAggregator[S, _, _],
    lanes: Int,
    minCapacity: Int,
    cellsOfSlot: Int
) extends States[S](operator, lanes) {

  /** The largest power of two of elements that fits one array. */
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

  /** Resizes the ring to `capacity` elements and moves the elements of `front until end` to their new slots. */
  protected def move(front: Int, end: Int, capacity: Int): Unit

  private def tooMany(): Nothing =
    throw new IllegalStateException(
      s"A ring holds at most $maxCapacity of these states: evict sooner, or take the chunked form of the algorithm"
    )
}

object RingStates {

  /** The default of `minCapacity`. */
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
