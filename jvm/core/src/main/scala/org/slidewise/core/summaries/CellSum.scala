package org.slidewise.core.summaries

/**
 * Additive sum for small ε, with a few bits for each element.
 *
 * A value is X of u units (see [[SumPlan]]) and is added to the carry y. Its cell then stores the number of whole grains of q
 * units in y, and y keeps the rest. With B grains in the window's cells, the estimate in units is y + q B - (q - 1) / 2.
 *
 * '''Error:''' at most (q - 1) / 2 units. With y,,0,, the carry into the oldest element, y + q B is the sum of y,,0,, and of the
 * units in the window, and 0 ≤ y,,0,, ≤ q - 1. Rounding W values adds W / 2 units unless u = R. The total is
 * (R / u) (q - 1 + W) / 2, or R (q - 1) / (2 R) without rounding. The plan keeps it within ε R W.
 *
 * '''Stored bits:''' a cell counts up to ⌈u / q⌉ grains, so it has c = ⌈log,,2,,(⌈u / q⌉ + 1)⌉ bits; W c bits for the cells and
 * ⌈log,,2,, q⌉ for y. With q about 2 ε W u that is W ⌈log,,2,,(1 / (2 ε W) + 2)⌉: at most W bits, one an element, above the
 * lower bound of W log,,2,,(⌊R / (⌊2 ε R W⌋ + 1)⌋ + 1) and W, and so (1 + o(1)) times that bound as ε W goes to 0.
 *
 * Invariants, between calls:
 *   - (P1) 0 ≤ y < q, and each cell is at most ⌈u / q⌉;
 *   - (P2) `total` is the sum of the cells.
 *
 * @see
 *   Ben Basat, Einziger, Friedman, Kassner, "Efficient Summing over Sliding Windows", section 4.3, Algorithm 3
 */
private[summaries] final class CellSum(upperBound: Double, epsilon: Double, plan: SumPlan.Cells)
    extends AdditiveSum(plan.window, upperBound, epsilon, plan) {
  private val cells = new CellRing(plan.window.toInt, plan.cellWidth)
  private val grain = plan.grain
  private var y = 0L

  private[summaries] override def insertUnits(x: Long): Unit = {
    y += x
    val grains = y / grain
    y -= grains * grain
    cells.append(grains)
  }

  private[summaries] override def wholes: Long = 0

  /** The rest in units. It is a double because the grains of all cells can exceed the units that a long can count. */
  private[summaries] override def restUnits: Double =
    cells.total.toDouble * grain + (y - (grain - 1) / 2.0)

  private[summaries] override def ringBytes: Long = cells.heapBytes

  private[summaries] override def write(out: BitWriter): Unit = {
    out.write(y, plan.carryWidth)
    cells.write(out)
  }

  private[summaries] override def read(in: BitReader): Unit = {
    y = in.read(plan.carryWidth)
    Format.check(y < grain)
    cells.read(in, plan.mostGrains)
  }

  /** For tests of (P1) and (P2): y, the sum of the cells, the sum added again, and q. */
  private[summaries] def state: (Long, Long, Long, Long) = (y, cells.total, cells.counted, grain)
}
