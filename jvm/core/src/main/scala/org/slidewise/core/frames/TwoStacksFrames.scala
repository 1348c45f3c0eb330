package org.slidewise.core.frames

/**
 * Two-Stacks Lite over frames whose elements can be read again, with as few states as memory allows.
 *
 * '''What it is.''' The window is a front, aggregated towards its newer end so that evicting is a step to the next
 * state, and a back, of which only the total is kept so that inserting is one combine (Two-Stacks Lite). When the
 * left end of a frame passes the front, the rest of the window, the elements that the frame has just gained
 * included, is turned into a new front.
 *
 * '''Why this one.''' Paper 000's greedy tree (SWA) needs the fewest combines for any sequence of frames. For
 * frames that slide by one element, its tree ''is'' this structure: the spine of right children is the front, the
 * newest right child is the back's total; both make 3 combines an element, less one here and there. Where the left
 * end jumps, this does what SWA does: elements that no frame will ask for again are not combined again, a frame
 * that shares nothing with the previous one starts afresh, and elements that arrive together with a turn go
 * straight into the new front. What it adds over the tree is that its states lie in slots, one after the other,
 * and that it can do with O(√n) of them.
 *
 * '''Checkpoints.''' If there is no memory for a front of `n` states, the front is cut into blocks
 * of about √n elements, counted from its newer end. Only the oldest block has a state for each element; each newer
 * block has one state, its checkpoint, the aggregate from the block's first element to the end of the front. When
 * the oldest block is used up, the next is expanded from its elements and the checkpoint after it.
 *
 * Invariants, between calls (positions `lo ≤ mid ≤ hi`):
 *   - I1: if `lo < mid`, slot `state(lo)` holds the aggregate of `lo until mid`, and so does the slot of every
 *     position from `lo` to the end of the oldest block.
 *   - I2: for each newer block, its checkpoint holds the aggregate from the block's first position until `mid`.
 *   - I3: slot [[Back]] holds the aggregate of `mid until hi`.
 *
 * Combines for each element of frames that slide by one: 3 amortised with all states affordable (one into the back,
 * one at the turn, one to answer), 4 with checkpoints (each element of a newer block is accumulated once for its
 * checkpoint and once when expanded); a frame costs `O(n)` at worst. States: `n + 2`, or `2·√n + 3` with checkpoints.
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

  /** Nothing of the previous frame is left: the whole frame becomes the back. */
  private def restart(newLo: Long, newHi: Long): Unit = {
    states.clear(Back)
    if (newHi > newLo) states.accumulate(Back, newLo, newHi)
    mid = newLo
    blockStart = newLo
    blockEnd = newLo
  }

  /** The front is used up: `from until until` becomes the front, and the back empty. */
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

  /** Newest first, so that each checkpoint can build on the one after it; the oldest block needs none. */
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

  /** Gives a state to each position from `position` to the end of its block (I1). */
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
