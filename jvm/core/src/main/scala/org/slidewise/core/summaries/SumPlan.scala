package org.slidewise.core.summaries

import Arguments.{ceilDiv, width}

/**
 * Parameters of an additive sum: the number of units of a value from 0 to R, and the sizes of blocks or cells.
 *
 * A value x becomes X = round(x u / R) of u units. With u = R there is no rounding. Otherwise each value has an error of at most
 * half a unit, and 2^-10^ of one for the product of doubles, which reduces the error that blocks may have. A fine unit needs
 * more bits for the carry, a coarse one needs shorter blocks. [[SumPlan.choose]] tries every u = 2^v^ and u = R, and takes the
 * plan with the fewest bits.
 */
private[summaries] sealed trait SumPlan {
  def units: Long
  def exact: Boolean
  def bits: Long

  /** The greatest error, in units, after the rounding of values. */
  def errorOfBlocks: Double

  /** The greatest error, as a multiple of R. */
  def error(window: Long): Double =
    (errorOfBlocks + (if (exact) 0 else window * SumPlan.HalfUnit)) / units
}

private[summaries] object SumPlan {

  /** The greatest error of one value in units: a half for rounding, and the error of doubles. */
  final val HalfUnit = 0.5 + 1.0 / 1024

  /** Algorithm 2: blocks of `length` elements, one bit each. */
  final case class Blocks(window: Long, length: Long, units: Long, exact: Boolean) extends SumPlan {
    val blocks: Long = ceilDiv(window, length)

    /** y ≤ s u - 1 after a block, and then each of up to s - 1 elements adds u. */
    def carryWidth: Int = width(2 * length * units - units - 1)
    def offsetWidth: Int = width(length - 1)
    def bits: Long = blocks + carryWidth + offsetWidth
    def errorOfBlocks: Double = (length * units - 1) / 2.0
  }

  /** Algorithm 3: one cell of `cellWidth` bits an element, each counting `grain` units. */
  final case class Cells(window: Long, cellWidth: Int, grain: Long, units: Long, exact: Boolean)
      extends SumPlan {
    def carryWidth: Int = width(grain - 1)
    def bits: Long = window * cellWidth + carryWidth
    def errorOfBlocks: Double = (grain - 1) / 2.0

    /** The greatest number of grains in a cell. */
    def mostGrains: Long = ceilDiv(units, grain)
  }

  /** The plan with the fewest bits. `wholeUpperBound` is R if values are whole numbers, and otherwise 0. */
  def choose(window: Long, wholeUpperBound: Long, epsilon: Double): SumPlan = {
    val rounding = (1 to 40).map(1L << _).filter(u => wholeUpperBound == 0 || u < wholeUpperBound)
    val all = rounding.flatMap(u => blocks(window, epsilon, u, exact = false)) ++
      rounding.flatMap(u => cells(window, epsilon, u, exact = false))
    val exact =
      if (wholeUpperBound == 0) Nil
      else
        blocks(window, epsilon, wholeUpperBound, exact = true) ++
          cells(window, epsilon, wholeUpperBound, exact = true)
    val candidates = exact ++ all
    if (candidates.isEmpty)
      throw new IllegalArgumentException(
        s"epsilon is $epsilon: with a window of $window it must be at least 2^-39"
      )
    candidates.minBy(plan => (plan.bits, plan.error(window)))
  }

  /** The longest blocks with (s u - 1) / 2 + (rounding of W values) ≤ ε W u, shortened as long as their number is the same. */
  private def blocks(window: Long, epsilon: Double, units: Long, exact: Boolean): Option[Blocks] = {
    val room = if (exact) 1.0 / units else (1 - 2 * HalfUnit * window) / units
    val longest = math.min(window, math.floor(2 * epsilon * window + room).toLong)
    if (longest < 1 || longest.toDouble * units > (1L << 60).toDouble) None
    else Some(Blocks(window, ceilDiv(window, ceilDiv(window, longest)), units, exact))
  }

  /** The narrowest cells with (q - 1) / 2 + (rounding of W values) ≤ ε W u, with the smallest grain q that they can count. */
  private def cells(window: Long, epsilon: Double, units: Long, exact: Boolean): Option[Cells] = {
    val rounding = if (exact) 0.0 else 2 * HalfUnit * window
    val coarsest = math.floor(2 * epsilon * window * units - rounding)
    if (coarsest < 0) None
    else {
      val bits = width(ceilDiv(units, math.min(units.toDouble, coarsest + 1).toLong))
      Some(Cells(window, bits, ceilDiv(units, (1L << bits) - 1), units, exact))
    }
  }
}
