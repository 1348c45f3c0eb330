package org.slidewise.core.summaries

import Arguments.{ceilDiv, width}
import org.slidewise.core.Evolving

/**
 * Basic-Counting with an additive error: the number of ones among the last W bits, within ε W.
 *
 * '''Method.''' The stream is divided into blocks of s bits, and the summary stores one bit for each block. Let y be the number
 * of ones not yet represented at the end of a block. If y ≥ s, the block is marked and y decreases by s; the rest carries over
 * to the next block. Hence y < s after each block. A mark represents s ones, not necessarily of its own block.
 *
 * '''Estimate.''' Let B of the blocks that intersect the window be marked. Let b be the mark of the oldest of these blocks, and
 * g the number of its bits that have left the window. The estimate is y + s B - g b - (s - 1) / 2.
 *
 * '''Error:''' at most (s - 1) / 2. Let y,,0,, be the carry into the oldest block, and a ≤ g the number of ones among its bits
 * that have left. There were y + s B - y,,0,, ones since that block began, and a of them have left. The estimate without its
 * last term is therefore too large by D = y,,0,, + a - g b.
 *   - b = 1: the block ended with y,,0,, + a + (ones among its s - g other bits) ≥ s, so y,,0,, + a ≥ g and D ≥ 0; and
 *     D ≤ y,,0,, + g - g ≤ s - 1.
 *   - b = 0: the block ended with less than s, so D = y,,0,, + a ≤ s - 1; and D ≥ 0.
 *
 * In both cases 0 ≤ D ≤ s - 1, and the last term centres the error. (The paper subtracts s / 2.) Hence s = ⌊2 ε W⌋ + 1
 * suffices; the shortest blocks of the same number are used.
 *
 * '''Stored bits:''' k = ⌈W / s⌉ for the marks, ⌈log,,2,,(2 s - 1)⌉ for y, ⌈log,,2,, s⌉ for the position in the block. The
 * marks alone take at most one bit more than the lower bound ⌊W / (⌊2 ε W⌋ + 1)⌋. '''Memory:''' k bits in an array of longs,
 * the index of the oldest mark, the number of marks, and two objects: see [[heapBytes]].
 *
 * '''Cost:''' insert and query O(1) in the worst case. Not safe for concurrent use.
 *
 * Invariants, between calls:
 *   - (C1) 0 ≤ offset < s and 0 ≤ y ≤ s - 1 + offset;
 *   - (C2) `marked` is the number of marks, and the next bit of the ring is 0 once its block has left;
 *   - (C3) y + s · marked is the sum of y,,0,, and of all ones since the oldest block that intersects the window began.
 *
 * @see
 *   Ben Basat, Einziger, Friedman, Kassner, "Efficient Summing over Sliding Windows", section 3, Algorithm 1
 */
@Evolving
final class AdditiveCount private (val window: Long, val epsilon: Double, marks: BitRing, blockSize: Long)
    extends CountSummary {

  /** The offset at which the oldest block leaves the window: when a block begins, blockSize - leavesAt of its bits have left. */
  private val leavesAt = blockSize - (marks.size * blockSize - window)
  private var offset = 0L
  private var y = 0L

  /** The greatest possible error; at most ε W. */
  def maxError: Double = (blockSize - 1) / 2.0

  override def insert(one: Boolean): Unit = {
    y += (if (one) 1 else 0)
    offset += 1
    if (offset == leavesAt) marks.dropOldest()
    if (offset == blockSize) closeBlock()
  }

  private def closeBlock(): Unit = {
    val full = y >= blockSize
    if (full) y -= blockSize
    marks.append(full)
    offset = 0
  }

  private def centre: Double = {
    val gone = if (offset < leavesAt) blockSize - leavesAt + offset else offset - leavesAt
    y + blockSize * marks.ones - (if (marks.oldest) gone else 0) - maxError
  }

  override def estimate: Double = math.max(0.0, math.min(window.toDouble, centre))
  override def lower: Double = math.max(0.0, centre - maxError)
  override def upper: Double = math.min(window.toDouble, centre + maxError)

  private def carryWidth = width(2 * blockSize - 2)
  private def offsetWidth = width(blockSize - 1)

  override def bits: Long = marks.size.toLong + carryWidth + offsetWidth
  override def headerBytes: Int = (header.bits / 8).toInt
  override def heapBytes: Long = HeapBytes.ofObject(fields = 7) + marks.heapBytes

  private def header: BitWriter = {
    val out = Format.writer(Format.Count)
    out.writeVariable(window)
    out.writeDouble(epsilon)
    out
  }

  override def toBytes: Array[Byte] = {
    val out = header
    out.write(offset, offsetWidth)
    out.write(y, carryWidth)
    marks.write(out)
    out.toBytes
  }

  private def read(in: BitReader): Unit = {
    offset = in.read(offsetWidth)
    y = in.read(carryWidth)
    Format.check(offset < blockSize && y <= blockSize - 1 + offset)
    marks.read(in, dropped = offset >= leavesAt)
  }

  /** For tests of (C1) to (C3). */
  private[summaries] def state: AdditiveCount.State =
    AdditiveCount.State(blockSize, marks.size, offset, y, marks.ones, marks.counted)
}

object AdditiveCount {
  private[summaries] final case class State(
      s: Long,
      k: Int,
      offset: Long,
      y: Long,
      marked: Long,
      counted: Long
  )

  /**
   * Creates a summary of a window of zeros.
   *
   * @param window
   *   W, the number of elements
   * @param epsilon
   *   the error as a fraction of W
   * @throws java.lang.IllegalArgumentException
   *   if `window` is not from 1 to 2^40^ or `epsilon` is not above 0 and below 1, or if the two need more than 128 MiB
   */
  def create(window: Long, epsilon: Double): AdditiveCount = {
    val blocks = blocksOf(window, epsilon)
    new AdditiveCount(window, epsilon, new BitRing(blocks.toInt), ceilDiv(window, blocks))
  }

  /** The number of blocks. Checks the arguments. */
  private def blocksOf(window: Long, epsilon: Double): Long = {
    Arguments.checkWindow(window)
    Arguments.checkEpsilon(epsilon)
    val longest = math.min(window, (2 * epsilon * window).toLong + 1)
    val blocks = ceilDiv(window, longest)
    Arguments.checkBits(blocks.toDouble, window, epsilon)
    blocks
  }

  /**
   * Reads a summary that [[AdditiveCount.toBytes]] stored.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `bytes` is no such summary
   */
  def fromBytes(bytes: Array[Byte]): AdditiveCount = Format.read(bytes, Format.Count) { in =>
    val (window, epsilon) = (in.readVariable(), in.readDouble())
    in.require(blocksOf(window, epsilon))
    val count = create(window, epsilon)
    count.read(in)
    count
  }
}
