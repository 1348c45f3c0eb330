package org.slidewise.core.frames

import java.lang.{Long => JLong}
import java.util.BitSet

/**
 * A segment tree over blocks of elements, which aggregates frames in any order. Elements can be read again by position.
 *
 * '''Structure.''' Elements are divided into blocks of `B` elements, at multiples of `B`. A node of level `k` aggregates `2^k`
 * adjacent blocks, at a multiple of `2^k` blocks. A frame is the end of a block, nodes, and the beginning of a block. The nodes
 * are the largest that fit, from left to right. The elements of the two ends are accumulated each time.
 *
 * '''On demand.''' A node is computed when a frame first needs it, from its two children, and then kept. Thus only elements of
 * frames are read, and a frame that is the only one costs about as much as its recalculation. The tree grows with the greatest
 * `hi`: the slot of a node depends only on its level and its index.
 *
 * '''Size of blocks.''' A frame reads `B` elements of its two ends on average, and combines about one node for each doubling of
 * its length. With `B` = 16, this is about 28 combines for 100,000 elements. `B` = 8 saves a quarter of them and doubles the
 * memory.
 *
 * '''Short memory.''' If [[FrameStates.tryReserve]] refuses the slots for the nodes until `hi`, or the states outgrow their
 * memory, the tree is dropped and `B` is doubled, until the nodes fit or the frame holds no whole block. The frame is then
 * recalculated in one state. A reset restores the first `B`.
 *
 * Invariants, between calls:
 *   - N1: the node of level `k` and index `i` aggregates the elements from `i · 2^k · B` until `(i + 1) · 2^k · B`. If `known` has
 *     its slot, the slot holds this aggregate;
 *   - N2: nodes have slots in the order in which their last blocks end, lower levels first: the nodes of the first `e` blocks
 *     are the first `2 · e - bits(e)`, where `bits` counts ones in binary;
 *   - N3: all slots of `known` are below `granted`;
 *   - N4: if `0 ≤ lo`, slot `Answer` holds the aggregate of `lo until hi`.
 *
 * Combines for a frame of `n` elements: `2 · (B - 2) + 2 · log,,2,,(n / B + 2)` at most, and none if it is the previous frame. In
 * addition, one for each element and at most one for each block in nodes that are not known yet: once in a sequence of elements
 * and, if memory is short, once more for each doubling of `B`. Memory, for `n` elements until the greatest `hi`: at most
 * `2 · n / B + 1` states and a bit for each. Not safe for concurrent use.
 *
 * @see
 *   Leis, Kundhikanjana, Kemper, Neumann, "Efficient Processing of Window Functions in Analytical SQL Queries", VLDB 2015: segment
 *   trees for frames whose bounds do not rise
 */
final class TreeFrames(states: FrameStates) extends FrameAlgorithm {
  import TreeFrames._

  private[this] var lo, hi = -1L
  private[this] var blockSize = FirstBlockSize
  private[this] val known = new BitSet
  private[this] var granted = FirstNode

  states.reserve(FirstNode)

  def slide(newLo: Long, newHi: Long): Int = {
    if (newLo != lo || newHi != hi) {
      lo = -1L
      while (!tryAggregate(newLo, newHi)) enlargeBlocks()
      lo = newLo
      hi = newHi
    }
    Answer
  }

  def reset(): Unit = {
    lo = -1L
    blockSize = FirstBlockSize
    known.clear()
    granted = FirstNode
  }

  /** Whether the memory suffices for blocks of this size. */
  private def tryAggregate(from: Long, until: Long): Boolean =
    try {
      val first = (from + blockSize - 1) / blockSize
      val end = until / blockSize
      if (first >= end) {
        recalculate(from, until)
        true
      } else
        tryGrow(end) && {
          recalculate(from, first * blockSize)
          addBlocks(first, end)
          states.accumulate(Answer, end * blockSize, until)
          true
        }
    } catch {
      case _: StatesOutgrown =>
        states.reserve(FirstNode)
        granted = FirstNode
        false
    }

  private def recalculate(from: Long, until: Long): Unit = {
    states.clear(Answer)
    states.accumulate(Answer, from, until)
  }

  /** Appends the blocks `first until end` to the answer: at each block, the largest node that starts there and fits. */
  private def addBlocks(first: Long, end: Long): Unit = {
    var block = first
    while (block < end) {
      val level = math.min(JLong.numberOfTrailingZeros(block), log2(end - block))
      states.combine(Answer, Answer, node(level, block >> level))
      block += 1L << level
    }
  }

  /** The slot of a node, which is computed if it is not known. */
  private def node(level: Int, index: Long): Int = {
    val slot = slotOf(level, index)
    if (!known.get(slot)) {
      if (level == 0) {
        states.clear(slot)
        states.accumulate(slot, index * blockSize, (index + 1) * blockSize)
      } else states.combine(slot, node(level - 1, 2 * index), node(level - 1, 2 * index + 1))
      known.set(slot)
    }
    slot
  }

  /** N2: the nodes of the same end follow each other by level. */
  private def slotOf(level: Int, index: Long): Int = {
    val end = (index + 1) << level
    (slotsUntil(end) - 1 - (JLong.numberOfTrailingZeros(end) - level)).toInt
  }

  private def slotsUntil(block: Long): Long = FirstNode + 2 * block - JLong.bitCount(block)

  /** Makes the slots of all nodes until `block` addressable, if there is memory. */
  private def tryGrow(block: Long): Boolean = {
    val slots = slotsUntil(block)
    slots <= granted || slots <= Int.MaxValue && states.tryReserve(slots.toInt) && {
      granted = slots.toInt // N3
      true
    }
  }

  private def enlargeBlocks(): Unit = {
    blockSize *= 2
    known.clear()
  }

  private def log2(n: Long): Int = 63 - JLong.numberOfLeadingZeros(n)
}

object TreeFrames {
  private val FirstBlockSize = 16L
  private val Answer = 0
  private val FirstNode = 1
}
