package org.slidewise.core.summaries

import org.slidewise.core.Evolving

/**
 * The sum and the mean of the last W real numbers from `low` to `high`, within ε (high - low) W and ε (high - low).
 *
 * Consists of an [[AdditiveSum]] of the differences to `low`, and the number of elements up to W. Stores ⌈log,,2,,(W + 1)⌉ more
 * bits than the sum. Not safe for concurrent use.
 */
@Evolving
final class RangeSum private (val low: Double, val high: Double, above: AdditiveSum) extends WindowSummary {
  private var seen = 0L

  def window: Long = above.window
  def epsilon: Double = above.epsilon

  /** The number of elements in the window: at most W. */
  def size: Long = seen

  /** The greatest possible error of the sum. */
  def maxError: Double = above.maxError

  /**
   * Adds the next element. The oldest one leaves if there are more than W.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `value` is not from `low` to `high`
   */
  def insert(value: Double): Unit = {
    if (!(value >= low && value <= high)) Arguments.outside("value", value, s"from $low to $high")
    above.insert(math.min(value - low, above.upperBound))
    if (seen < window) seen += 1
  }

  override def estimate: Double = sum(above.estimate)
  override def lower: Double = sum(above.lower)
  override def upper: Double = sum(above.upper)

  /** The mean of the window's elements, NaN if there is none. */
  def mean: Double = estimate / seen

  private def sum(ofAbove: Double): Double =
    low * seen + math.min(ofAbove, seen * above.upperBound)

  private def seenWidth = Arguments.width(window)

  override def bits: Long = above.bits + seenWidth
  override def headerBytes: Int = toBytes.length - ((bits + 7) / 8).toInt
  override def heapBytes: Long = HeapBytes.ofObject(fields = 4) + above.heapBytes

  override def toBytes: Array[Byte] = {
    val out = Format.writer(Format.RangeSum)
    out.writeDouble(low)
    out.writeDouble(high)
    above.header(out)
    out.write(seen, seenWidth)
    above.write(out)
    out.toBytes
  }
}

object RangeSum {

  /**
   * Creates a summary of an empty window.
   *
   * @param epsilon
   *   the mean's error as a fraction of `high - low`
   * @throws java.lang.IllegalArgumentException
   *   if `low` is not below `high`, or as [[AdditiveSum.createReal]] does
   */
  def create(window: Long, low: Double, high: Double, epsilon: Double): RangeSum = {
    checkRange(low, high)
    new RangeSum(low, high, AdditiveSum.createReal(window, high - low, epsilon))
  }

  private def checkRange(low: Double, high: Double): Unit = {
    if (!(low.abs <= Arguments.MaxReal)) Arguments.outside("low", low, "from -2^960 to 2^960")
    if (!(high > low && high - low <= Arguments.MaxReal))
      Arguments.outside("high", high, s"above low, which is $low, by at most 2^960")
  }

  /**
   * Reads a summary that [[RangeSum.toBytes]] stored.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `bytes` is no such summary
   */
  def fromBytes(bytes: Array[Byte]): RangeSum = Format.read(bytes, Format.RangeSum) { in =>
    val (low, high) = (in.readDouble(), in.readDouble())
    checkRange(low, high)
    val above = AdditiveSum.readHeader(in)
    val sum = new RangeSum(low, high, above)
    sum.seen = in.read(sum.seenWidth)
    Format.check(above.upperBound == high - low && sum.seen <= above.window)
    above.read(in)
    sum
  }
}
