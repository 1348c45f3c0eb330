package org.slidewise.core.summaries

import Arguments.{ceilDiv, width}

/**
 * Basic-Counting with an additive error: how many of the last W bits are ones, to at most ε W.
 *
 * '''How.''' The stream is cut into blocks of s bits; a block leaves one bit behind. With y ones not yet accounted for at
 * its end, a block is marked if y ≥ s, which takes s from y; the rest is carried over to the next block. So y < s after
 * each block, and a mark stands for s ones, though not all of them need be of its own block.
 *
 * '''The answer.''' Let B of the blocks that the window touches be marked, and let g bits of the oldest of them, whose mark
 * is b, have left the window. Then the answer is y + s B - g b - (s - 1) / 2.
 *
 * '''Its error''' is at most (s - 1) / 2. Let y,,0,, be what was carried into the oldest block, and a ≤ g the ones among its
 * bits that have left. All ones since that block began are y + s B - y,,0,,, of which a have left, so that the answer
 * without its last term is too large by D = y,,0,, + a - g b.
 *   - b = 1: the block ended with y,,0,, + a + (ones of its s - g bits still here) ≥ s, so y,,0,, + a ≥ g and D ≥ 0; and
 *     D ≤ y,,0,, + g - g ≤ s - 1.
 *   - b = 0: it ended with less than s, so D = y,,0,, + a ≤ s - 1; and D ≥ 0.
 *
 * In both cases 0 ≤ D ≤ s - 1, and the last term centres it. (The paper takes s / 2 off.) So s = ⌊2 ε W⌋ + 1 will do, and
 * of the block lengths that make equally many blocks the shortest is taken.
 *
 * '''Bits:''' k = ⌈W / s⌉ for the marks, ⌈log,,2,,(2 s - 1)⌉ for y, ⌈log,,2,, s⌉ for the position in the block. To work in
 * O(1), it also keeps the oldest mark's place in the ring and the number of marks, which are not stored: the marks are
 * written oldest first. The marks alone are the lower bound's ⌊W / (⌊2 ε W⌋ + 1)⌋ bits, to one.
 *
 * '''Cost:''' insert and query O(1) worst case.
 *
 * Invariants, between calls:
 *   - (C1) 0 ≤ offset < s and 0 ≤ y ≤ s - 1 + offset;
 *   - (C2) `marked` is the number of marks, and the ring's next place is free of one once the block there has left;
 *   - (C3) y + s · marked is y,,0,, and all ones since the oldest block that the window touches began.
 *
 * @see
 *   Ben Basat, Einziger, Friedman, Kassner, "Efficient Summing over Sliding Windows", section 3, Algorithm 1
 */
final class AdditiveCount private (val window: Long, val epsilon: Double, marks: BitRing, blockSize: Long)
    extends CountSummary {

  /** Of the first ring place's block, the bits that have left when a block begins are blockSize - leavesAt. */
  private val leavesAt = blockSize - (marks.size * blockSize - window)
  private var offset = 0L
  private var y = 0L

  /** The greatest error there can be; at most ε W. */
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
   * A window of zeros.
   *
   * @param window
   *   W, the number of elements
   * @param epsilon
   *   the error as a fraction of W
   * @throws java.lang.IllegalArgumentException
   *   if `window` is not from 1 to 2^40^ or `epsilon` is not above 0 and below 1, or if the two need more than 128 MiB
   */
  def create(window: Long, epsilon: Double): AdditiveCount = {
    Arguments.checkWindow(window)
    Arguments.checkEpsilon(epsilon)
    val longest = math.min(window, (2 * epsilon * window).toLong + 1)
    val blocks = ceilDiv(window, longest)
    Arguments.checkBits(blocks.toDouble, window, epsilon)
    new AdditiveCount(window, epsilon, new BitRing(blocks.toInt), ceilDiv(window, blocks))
  }

  /** The summary that [[AdditiveCount.toBytes]] stored. */
  def fromBytes(bytes: Array[Byte]): AdditiveCount = Format.read(bytes, Format.Count) { in =>
    val count = create(in.readVariable(), in.readDouble())
    count.read(in)
    count
  }
}
