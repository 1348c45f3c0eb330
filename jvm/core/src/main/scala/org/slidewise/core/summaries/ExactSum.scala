package org.slidewise.core.summaries

import org.slidewise.core.Evolving

/**
 * The exact sum of the last W whole numbers from 0 to R, as a baseline for the other summaries. Stores the numbers in
 * W ⌈log,,2,,(R + 1)⌉ bits; insert and query O(1). Not safe for concurrent use.
 */
@Evolving
final class ExactSum private (val window: Long, val upperBound: Long) extends SumSummary {
  private val valueWidth = Arguments.width(upperBound)
  private val ring = new CellRing(window.toInt, valueWidth)

  override def insert(value: Long): Unit = {
    if (value < 0 || value > upperBound)
      Arguments.outside("value", value, s"from 0 to the upperBound $upperBound")
    ring.append(value)
  }

  override def estimate: Double = ring.total.toDouble
  override def lower: Double = estimate
  override def upper: Double = estimate

  override def bits: Long = window * valueWidth
  override def headerBytes: Int = (header.bits / 8).toInt
  override def heapBytes: Long = HeapBytes.ofObject(fields = 4) + ring.heapBytes

  private def header: BitWriter = {
    val out = Format.writer(Format.ExactSum)
    out.writeVariable(window)
    out.writeVariable(upperBound)
    out
  }

  override def toBytes: Array[Byte] = {
    val out = header
    ring.write(out)
    out.toBytes
  }
}

object ExactSum {

  /** Creates a summary of `window` zeros, for numbers up to `upperBound`; at most 128 MiB. */
  def create(window: Long, upperBound: Long): ExactSum = {
    check(window, upperBound)
    new ExactSum(window, upperBound)
  }

  private def check(window: Long, upperBound: Long): Unit = {
    Arguments.checkUpperBound(upperBound)
    val longest = Arguments.MaxBits / Arguments.width(upperBound)
    if (window < 1 || window > longest)
      Arguments.outside("window", window, s"from 1 to $longest with numbers up to $upperBound")
  }

  /**
   * Reads a summary that [[ExactSum.toBytes]] stored.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `bytes` is no such summary
   */
  def fromBytes(bytes: Array[Byte]): ExactSum = Format.read(bytes, Format.ExactSum) { in =>
    val (window, upperBound) = (in.readVariable(), in.readVariable())
    check(window, upperBound)
    in.require(window * Arguments.width(upperBound))
    val sum = create(window, upperBound)
    sum.ring.read(in, upperBound)
    sum
  }
}
