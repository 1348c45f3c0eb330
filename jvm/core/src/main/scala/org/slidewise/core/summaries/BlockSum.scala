package org.slidewise.core.summaries

/**
 * Additive sum with one bit for each block: [[AdditiveCount]] over units instead of ones.
 *
 * A value is X of u units (see [[SumPlan]]). A block of s elements is marked if it ends with y ≥ s u; y then decreases by s u.
 * With B marked blocks, b the mark of the oldest one and g the number of its elements that have left, the estimate in units is
 * y + s u B - g u b - (s u - 1) / 2.
 *
 * '''Error:''' at most (s u - 1) / 2 units, by the proof of [[AdditiveCount]] with a ≤ g u units that have left: if b = 1,
 * y,,0,, + a ≥ s u - (s - g) u = g u, so that again 0 ≤ D ≤ s u - 1. Rounding W values adds W / 2 units unless u = R. The total
 * is (R / 2) (s - 1 / u + W / u), or (R / 2) (s - 1 / R) without rounding. The plan keeps it within ε R W, which requires ε of
 * about 1 / (2 W) or more. (The paper has v fractional bits, u = 2^v^, with v about log,,2,,(1 / ε).)
 *
 * '''Stored bits:''' k = ⌈W / s⌉ marks, ⌈log,,2,,(2 s u - u)⌉ for y and ⌈log,,2,, s⌉ for the position in the block:
 * Θ(1 / ε + log W), as s u need not be above a few W.
 *
 * Invariants, between calls: as (C1) to (C3) of [[AdditiveCount]], with units:
 *   - (S1) 0 ≤ offset < s and 0 ≤ y ≤ s u - 1 + offset · u;
 *   - (S2) y + s u · (number of marks) is the sum of y,,0,, and of all units since the oldest block that intersects the window
 *     began.
 *
 * @see
 *   Ben Basat, Einziger, Friedman, Kassner, "Efficient Summing over Sliding Windows", section 4.2, Algorithm 2
 */
private[summaries] final class BlockSum(upperBound: Double, epsilon: Double, plan: SumPlan.Blocks)
    extends AdditiveSum(plan.window, upperBound, epsilon, plan) {
  private val marks = new BitRing(plan.blocks.toInt)
  private val blockSize = plan.length
  private val full = plan.length * plan.units
  private val leavesAt = blockSize - (plan.blocks * blockSize - plan.window)
  private var offset = 0L
  private var y = 0L

  private[summaries] override def insertUnits(x: Long): Unit = {
    y += x
    offset += 1
    if (offset == leavesAt) marks.dropOldest()
    if (offset == blockSize) closeBlock()
  }

  private def closeBlock(): Unit = {
    val mark = y >= full
    if (mark) y -= full
    marks.append(mark)
    offset = 0
  }

  private[summaries] override def wholes: Long = {
    val gone = if (offset < leavesAt) blockSize - leavesAt + offset else offset - leavesAt
    blockSize * marks.ones - (if (marks.oldest) gone else 0)
  }

  private[summaries] override def restUnits: Double = y - (full - 1) / 2.0

  private[summaries] override def ringBytes: Long = marks.heapBytes

  private[summaries] override def write(out: BitWriter): Unit = {
    out.write(offset, plan.offsetWidth)
    out.write(y, plan.carryWidth)
    marks.write(out)
  }

  private[summaries] override def read(in: BitReader): Unit = {
    offset = in.read(plan.offsetWidth)
    y = in.read(plan.carryWidth)
    Format.check(offset < blockSize && y >= 0 && y <= full - 1 + offset * plan.units)
    marks.read(in, dropped = offset >= leavesAt)
  }

  private[summaries] def blockLength: Long = blockSize

  /** For tests of (S1) and (S2): offset, y, marks, marks counted again, s and u. */
  private[summaries] def state: (Long, Long, Long, Long, Long, Long) =
    (offset, y, marks.ones, marks.counted, blockSize, plan.units)
}
