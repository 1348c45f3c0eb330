package org.slidewise.core.frames

/**
 * Two-Stacks Lite over frames that rise, with fewer states if memory is short. Elements can be read again.
 *
 * '''Structure.''' A frame is a front and a back. The front has a state for each element, the aggregate from it to the
 * front's end, so that an eviction moves to the next state. The back has one state, its total, so that an insertion is one
 * combine. When the left end of a frame passes the front, the whole rest of the frame becomes the new front, including the
 * elements that the frame has just gained.
 *
 * '''Comparison with SWA.''' The greedy tree of Basin et al. needs the fewest combines for any sequence of frames. For frames
 * that slide by one element, the tree has this structure: the spine of right children is the front, and the newest right child
 * is the total of the back. Both make about 3 combines an element. If the left end jumps, this class behaves as SWA: elements
 * that no later frame needs are not combined again, and a frame without elements of the previous one starts afresh. In
 * addition, the states are in adjacent slots, and O(√n) of them suffice.
 *
 * '''Checkpoints.''' If memory does not suffice for a front of `n` states, the front is divided into blocks of about √n
 * elements, counted from its newer end. The oldest block has a state for each element. Each newer block has one state, its
 * checkpoint: the aggregate from the block's first element to the end of the front. When the oldest block is used up, the next
 * one is expanded from its elements and the next checkpoint.
 *
 * Invariants, between calls (positions `lo ≤ mid ≤ hi`):
 *   - I1: if `lo < mid`, slot `state(lo)` holds the aggregate of `lo until mid`, and so does the slot of every
 *     position from `lo` to the end of the oldest block.
 *   - I2: for each newer block, its checkpoint holds the aggregate from the block's first position until `mid`.
 *   - I3: slot [[Back]] holds the aggregate of `mid until hi`.
 *
 * Combines for each element of frames that slide by one: 3 amortised without checkpoints (one into the back, one at the turn,
 * one for the result), 4 with checkpoints (each element of a newer block is accumulated twice). A single frame costs `O(n)` in
 * the worst case. Memory: `n + 2` states, or `2·√n + 3` with checkpoints. Not safe for concurrent use.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, section 4 (Two-Stacks Lite, Theorem 7); Basin, Klaedtke, Zălinescu, section 2
 */
final class TwoStacksFrames(states: FrameStates) extends FrameAlgorithm {
  import TwoStacksFrames._

  private[this] var lo, mid, hi = 0L

  // The expanded block: positions `blockStart until blockEnd` in slots from `FirstBlock`.
  private[this] var blockStart, blockEnd = 0L
  private[this] var blockSize = 0L

  states.reserve(FirstBlock)

  def slide(newLo: Long, newHi: Long): Int = {
    if (newLo >= hi) restart(newLo, newHi)
    else if (newLo > mid) turn(newLo, newHi)
    else {
      if (newHi > hi) states.accumulate(Back, hi, newHi)
      if (newLo >= blockEnd && newLo < mid) expandBlockOf(newLo)
    }
    lo = newLo
    hi = newHi
    answer()
  }

  def reset(): Unit = {
    lo = 0
    mid = 0
    hi = 0
    blockStart = 0
    blockEnd = 0
    states.clear(Back)
  }

  /** The frame has no element of the previous one: it becomes the back. */
  private def restart(newLo: Long, newHi: Long): Unit = {
    states.clear(Back)
    if (newHi > newLo) states.accumulate(Back, newLo, newHi)
    mid = newLo
    blockStart = newLo
    blockEnd = newLo
  }

  /** The front is used up: `from until until` becomes the front, and the back is emptied. */
  private def turn(from: Long, until: Long): Unit = {
    val n = until - from
    val whole = n + FirstBlock
    mid = until
    if (whole > Int.MaxValue || !states.tryReserve(whole.toInt)) turnWithCheckpoints(from, n)
    else
      try {
        blockSize = n
        expandBlockOf(from)
      } catch { case _: StatesOutgrown => turnWithCheckpoints(from, n) }
    states.clear(Back)
  }

  private def turnWithCheckpoints(from: Long, n: Long): Unit = {
    blockSize = math.ceil(math.sqrt(n.toDouble)).toLong
    states.reserve(Math.toIntExact(FirstBlock + blockSize + (n + blockSize - 1) / blockSize))
    placeCheckpoints(blockOf(from))
    expandBlockOf(from)
  }

  /** Newest first: each checkpoint builds on the next one. The oldest block needs none. */
  private def placeCheckpoints(oldestBlock: Long): Unit = {
    var block = 0L
    while (block < oldestBlock) {
      val slot = checkpoint(block)
      states.clear(slot)
      states.accumulate(slot, startOf(block), startOf(block) + blockSize)
      if (block > 0) states.combine(slot, slot, checkpoint(block - 1))
      block += 1
    }
  }

  /** Computes the state of each position from `position` to the end of its block (I1). */
  private def expandBlockOf(position: Long): Unit = {
    val block = blockOf(position)
    blockStart = position
    blockEnd = startOf(block) + blockSize
    states.lift(FirstBlock, blockStart, blockEnd)
    var slot = FirstBlock + (blockEnd - blockStart).toInt - 1
    if (block > 0) states.combine(slot, slot, checkpoint(block - 1)) // I2
    while (slot > FirstBlock) {
      slot -= 1
      states.combine(slot, slot, slot + 1)
    }
  }

  private def answer(): Int =
    if (lo >= mid) Back
    else {
      val front = FirstBlock + (lo - blockStart).toInt
      if (hi == mid) front
      else {
        states.combine(Answer, front, Back)
        Answer
      }
    }

  private def blockOf(position: Long): Long = (mid - 1 - position) / blockSize
  private def startOf(block: Long): Long = mid - (block + 1) * blockSize
  private def checkpoint(block: Long): Int = FirstBlock + blockSize.toInt + block.toInt
}

object TwoStacksFrames {
  private val Back = 0
  private val Answer = 1
  private val FirstBlock = 2
}
