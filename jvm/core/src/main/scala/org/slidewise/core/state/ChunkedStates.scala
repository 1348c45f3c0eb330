package org.slidewise.core.state

import org.slidewise.core.InPlaceAggregator

/**
 * Ring of arrays of a fixed size, the chunks. Growing adds a chunk and copies no state, for a steady latency.
 *
 * An operation allocates at most one chunk and moves at most n / chunk references to chunks. Memory: at most `n + 2 chunk`
 * slots of each lane at size n. A chunk is released when its last element leaves.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", Definition 4
 */
final class ChunkedStates[S](operator: InPlaceAggregator[S, _, _], lanes: Int)
    extends States[S](operator, lanes) {
  import ChunkedStates._

  // Invariant C1: the chunk of position p is table(1 + ((p & mask) >> chunkShift)); table(0) holds the registers, at
  // its end.
  // Invariant C2: exactly the chunks of positions `front until end` are present, and that of `end` once room is made.
  private[this] val slots: Int = slotsOfChunk(operator)
  private[this] val stride: Int = operator.width
  private[this] val slotShift: Int = Integer.numberOfTrailingZeros(slots)
  private[this] val chunkShift: Int = slotShift - laneShift
  private[this] val inChunk: Int = (1 << chunkShift) - 1
  private[this] var table: Array[AnyRef] = new Array[AnyRef](1 + MinChunks)
  private[this] var spare: AnyRef = null
  mask = (MinChunks << chunkShift) - 1
  table(0) = newChunk()
  (0 until States.Registers).foreach(identity)

  /** The index in the table of the chunk of `slot`. */
  private def chunk(slot: Int): Int = (slot + slots - States.Registers) >>> slotShift

  override def cells(slot: Int): S = table(chunk(slot)).asInstanceOf[S]

  override def offset(slot: Int): Int = ((slot - States.Registers) & (slots - 1)) * stride

  override def combine(target: Int, older: Int, newer: Int): Unit =
    operator.combine(cells(target), offset(target), cells(older), offset(older), cells(newer), offset(newer))

  override def clear(position: Int): Unit = {
    val slot = first(position)
    operator.clear(cells(slot), offset(slot))
    if (laneShift == 1) operator.clear(cells(slot + 1), offset(slot + 1))
    if ((position & inChunk) == inChunk) {
      spare = table(chunk(slot))
      table(chunk(slot)) = null
    }
  }

  override def makeRoom(front: Int, end: Int): Boolean = (end & inChunk) == 0 && enterChunk(front, end)

  private def enterChunk(front: Int, end: Int): Boolean = {
    val chunks = table.length - 1
    val used = chunksBefore(front, end)
    val moved =
      if (used == chunks) rearrange(front, end, chunks * 2)
      else chunks > MinChunks && used < chunks / 4 && rearrange(front, end, chunks / 2)
    val at = chunk(first(end))
    if (table(at) == null) {
      table(at) = if (spare == null) newChunk() else spare
      spare = null
    }
    moved
  }

  /** The number of chunks from the chunk of `front` to the one before the chunk of `end`. */
  private def chunksBefore(front: Int, end: Int): Int = (end - (front & ~inChunk)) >>> chunkShift

  private def rearrange(front: Int, end: Int, chunks: Int): Boolean = {
    if (chunks.toLong << slotShift > MaxSlots)
      throw new IllegalStateException(
        s"A window of ${end - front} elements is more than $MaxSlots slots can hold: evict sooner"
      )
    val to = new Array[AnyRef](1 + chunks)
    val newMask = (chunks << chunkShift) - 1
    var first = front & ~inChunk
    var left = chunksBefore(front, end + inChunk)
    to(0) = table(0)
    while (left > 0) {
      to(1 + ((first & newMask) >>> chunkShift)) = table(1 + ((first & mask) >>> chunkShift))
      first += inChunk + 1
      left -= 1
    }
    table = to
    mask = newMask
    true
  }

  private def newChunk(): AnyRef = operator.allocate(slots * stride).asInstanceOf[AnyRef]
}

object ChunkedStates {
  private final val CellsOfChunk = 4096
  private final val MinChunks = 4
  private final val MaxSlots = 1L << 30

  private def slotsOfChunk(operator: InPlaceAggregator[_, _, _]): Int =
    math.max(Integer.highestOneBit(CellsOfChunk / operator.width max 1), 8)
}
