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
 */
abstract class RingStates[S] private[state] (
    operator: InPlaceAggregator[S, _, _],
    lanes: Int,
    minCapacity: Int
) extends States[S](operator, lanes, States.Registers) {

  private[this] var sparse: Int = 0

  // There is room from `sparse` elements to fewer than `capacity`, which is one comparison of what is taken for unsigned.
  private[this] var bias: Int = Int.MinValue
  private[this] var limit: Int = Int.MinValue + minCapacity
  mask = minCapacity - 1

  /** Makes the ring one of `capacity` elements, each of `front until end` at its new slot. */
  protected def move(front: Int, end: Int, capacity: Int): Unit

  override final def hasRoom(front: Int, end: Int): Boolean = end - front + bias < limit

  override final def makeRoom(front: Int, end: Int): Boolean =
    if (hasRoom(front, end)) false
    else resize(front, end, if (end - front < sparse) capacity / 2L else capacity * 2L)

  private def resize(front: Int, end: Int, capacity: Long): Boolean = {
    require(capacity)
    move(front, end, capacity.toInt)
    mask = capacity.toInt - 1
    sparse = if (capacity == minCapacity) 0 else capacity.toInt / 4
    bias = Int.MinValue - sparse
    limit = Int.MinValue + capacity.toInt - sparse
    true
  }

  protected final def slotsFor(capacity: Long): Long = States.Registers + (capacity << laneShift)

  /** Refuses a capacity that is too much for the arrays. */
  protected def require(capacity: Long): Unit
}

object RingStates {

  /** What `minCapacity` is if nobody says. */
  final val MinCapacity = 16
  private[state] final val MaxCells = Int.MaxValue - 8

  /** From how many cells a state gets an array of its own: see [[SpreadRing]]. */
  private final val Wide = 16

  def of[S](
      operator: InPlaceAggregator[S, _, _],
      lanes: Int,
      minCapacity: Int = MinCapacity
  ): RingStates[S] =
    if (operator.width < Wide) new PackedRing(operator, lanes, minCapacity)
    else new SpreadRing(operator, lanes, minCapacity)

  private[state] def tooMany(capacity: Long, what: String): Nothing =
    throw new IllegalStateException(
      s"A window of $capacity elements needs $what, more than one array can hold ($MaxCells): " +
        "evict sooner, or take the chunked form of the algorithm"
    )
}
