package org.slidewise.core.summaries

import org.slidewise.core.Evolving

/**
 * Basic-Summing with an additive error: the sum of the last W values, each from 0 to R, within ε R W.
 *
 * [[AdditiveSum.create]] chooses the algorithm with the fewest stored bits for W, R and ε: [[BlockSum]] (the paper's Algorithm
 * 2, one bit for each block of elements) if ε is above about 1 / (2 W), otherwise [[CellSum]] (Algorithm 3, a few bits for each
 * element). Neither grows with R beyond the bits of an exact value. [[heapBytes]] states the memory.
 *
 * '''Cost:''' insert and query O(1) in the worst case. Not safe for concurrent use.
 *
 * @see
 *   Ben Basat, Einziger, Friedman, Kassner, "Efficient Summing over Sliding Windows", section 4
 */
@Evolving
abstract class AdditiveSum private[summaries] (
    val window: Long,
    val upperBound: Double,
    val epsilon: Double,
    plan: SumPlan
) extends SumSummary {
  private[this] val exact = plan.exact
  private[this] val unitsOfBound = plan.units
  private[this] val unitsOfOne = plan.units / upperBound

  /** The value of one unit. */
  private[this] val unit = if (exact) 1.0 else upperBound / plan.units

  /** The greatest possible error; at most ε R W. */
  val maxError: Double = upperBound * plan.error(window)

  final override def insert(value: Long): Unit = {
    if (value < 0 || value > upperBound) refuse(value)
    if (exact) insertUnits(value) else insertUnits((value * unitsOfOne + 0.5).toLong)
  }

  /** Adds the next element. A sum that was created for whole numbers takes whole numbers only. */
  final def insert(value: Double): Unit = {
    if (!(value >= 0 && value <= upperBound)) refuse(value)
    if (exact && value != math.rint(value))
      Arguments.outside("value", value, "a whole number, as upperBound was given as one")
    if (exact) insertUnits(value.toLong)
    else insertUnits(math.min(unitsOfBound, (value * unitsOfOne + 0.5).toLong))
  }

  private def refuse(value: Any): Nothing =
    Arguments.outside("value", value, s"from 0 to the upperBound $upperBound")

  private[summaries] def insertUnits(x: Long): Unit

  /** The part of the estimate from whole blocks, as a multiple of R. */
  private[summaries] def wholes: Long

  /** The rest of the estimate, in units and centred. */
  private[summaries] def restUnits: Double

  private def greatest: Double = window * upperBound
  private def centre: Double = wholes * upperBound + restUnits * unit

  final override def estimate: Double = math.max(0.0, math.min(greatest, centre))
  final override def lower: Double = math.max(0.0, math.min(greatest, centre - maxError))
  final override def upper: Double = math.max(0.0, math.min(greatest, centre + maxError))

  final override def bits: Long = plan.bits
  final override def heapBytes: Long = AdditiveSum.OwnBytes + ringBytes
  final override def headerBytes: Int = {
    val out = new BitWriter
    header(out)
    2 + (out.bits / 8).toInt
  }

  /** The parameters and the plan: a later release can read the summary even if it plans differently. */
  private[summaries] def header(out: BitWriter): Unit = {
    out.writeVariable(window)
    out.writeDouble(upperBound)
    out.writeDouble(epsilon)
    out.writeVariable(plan.units)
    out.writeVariable(if (exact) 1 else 0)
    plan match {
      case blocks: SumPlan.Blocks => out.writeVariable(0); out.writeVariable(blocks.length)
      case cells: SumPlan.Cells   => out.writeVariable(cells.cellWidth.toLong); out.writeVariable(cells.grain)
    }
  }

  final override def toBytes: Array[Byte] = {
    val out = Format.writer(Format.AdditiveSum)
    header(out)
    write(out)
    out.toBytes
  }

  /** The heap of the ring of marks or cells. */
  private[summaries] def ringBytes: Long
  private[summaries] def write(out: BitWriter): Unit
  private[summaries] def read(in: BitReader): Unit
}

object AdditiveSum {

  /** The least and the greatest upper bound of real numbers: 2^-960^ and 2^960^. */
  val LeastReal: Double = Arguments.LeastReal
  val MostReal: Double = Arguments.MaxReal

  /** This object and its plan. */
  private val OwnBytes: Long = HeapBytes.ofObject(fields = 15) + HeapBytes.ofObject(fields = 6)

  /**
   * Creates a summary of a window of zeros, for whole numbers.
   *
   * @param window
   *   W, the number of elements
   * @param upperBound
   *   R, the greatest value
   * @param epsilon
   *   the error as a fraction of R W
   * @throws java.lang.IllegalArgumentException
   *   if `window` is not from 1 to 2^40^, `upperBound` not from 1 to 2^53^ or `epsilon` not above 0 and below 1, or if
   *   they need more than 128 MiB
   */
  def create(window: Long, upperBound: Long, epsilon: Double): AdditiveSum = {
    Arguments.checkWindow(window)
    Arguments.checkUpperBound(upperBound)
    Arguments.checkEpsilon(epsilon)
    make(window, upperBound.toDouble, epsilon, SumPlan.choose(window, upperBound, epsilon))
  }

  /**
   * Creates a summary of a window of zeros, for real numbers from 0 to `upperBound`, which are scaled and rounded.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `upperBound` is not from 2^-960^ to 2^960^, or for the same reasons as [[create]]
   */
  def createReal(window: Long, upperBound: Double, epsilon: Double): AdditiveSum = {
    Arguments.checkWindow(window)
    Arguments.checkUpperBound(upperBound)
    Arguments.checkEpsilon(epsilon)
    make(window, upperBound, epsilon, SumPlan.choose(window, 0, epsilon))
  }

  private[summaries] def make(
      window: Long,
      upperBound: Double,
      epsilon: Double,
      plan: SumPlan
  ): AdditiveSum = {
    Arguments.checkBits(plan.bits.toDouble, window, epsilon)
    plan match {
      case blocks: SumPlan.Blocks => new BlockSum(upperBound, epsilon, blocks)
      case cells: SumPlan.Cells   => new CellSum(upperBound, epsilon, cells)
    }
  }

  /**
   * Reads a summary that [[AdditiveSum.toBytes]] stored.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `bytes` is no such summary
   */
  def fromBytes(bytes: Array[Byte]): AdditiveSum = Format.read(bytes, Format.AdditiveSum) { in =>
    val sum = readHeader(in)
    sum.read(in)
    sum
  }

  private[summaries] def readHeader(in: BitReader): AdditiveSum = {
    val window = in.readVariable()
    val upperBound = in.readDouble()
    val epsilon = in.readDouble()
    val units = in.readVariable()
    val exact = in.readVariable() == 1
    val cellWidth = in.readVariable()
    val size = in.readVariable()
    Arguments.checkWindow(window)
    Arguments.checkUpperBound(upperBound)
    Arguments.checkEpsilon(epsilon)
    Format.check(units >= 1 && units <= (1L << 53) && (!exact || units.toDouble == upperBound))
    Format.check(cellWidth >= 0 && cellWidth <= 54 && size >= 1)
    val plan: SumPlan = if (cellWidth == 0) {
      Format.check(size <= window && size.toDouble * units <= (1L << 60).toDouble)
      SumPlan.Blocks(window, size, units, exact)
    } else {
      val cells = SumPlan.Cells(window, cellWidth.toInt, size, units, exact)
      Format.check(size <= units && cells.mostGrains < (1L << cellWidth))
      cells
    }
    in.require(plan.bits)
    make(window, upperBound, epsilon, plan)
  }
}
