package org.slidewise.core.summaries

import org.slidewise.core.Evolving

/**
 * The exact number of ones among the last W bits, as a baseline for the other summaries. Stores the W bits, the fewest that an
 * exact summary needs; insert and query O(1). Not safe for concurrent use.
 */
@Evolving
final class ExactCount private (val window: Long) extends CountSummary {
  private val ring = new BitRing(window.toInt)

  override def insert(one: Boolean): Unit = {
    ring.dropOldest()
    ring.append(one)
  }

  override def estimate: Double = ring.ones.toDouble
  override def lower: Double = estimate
  override def upper: Double = estimate

  override def bits: Long = window
  override def headerBytes: Int = (header.bits / 8).toInt
  override def heapBytes: Long = HeapBytes.ofObject(fields = 2) + ring.heapBytes

  private def header: BitWriter = {
    val out = Format.writer(Format.ExactCount)
    out.writeVariable(window)
    out
  }

  override def toBytes: Array[Byte] = {
    val out = header
    ring.write(out)
    out.toBytes
  }
}

object ExactCount {

  /** Creates a summary of `window` zeros, from 1 to 2^30^. */
  def create(window: Long): ExactCount = {
    check(window)
    new ExactCount(window)
  }

  private def check(window: Long): Unit =
    if (window < 1 || window > Arguments.MaxBits) Arguments.outside("window", window, "from 1 to 2^30")

  /**
   * Reads a summary that [[ExactCount.toBytes]] stored.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `bytes` is no such summary
   */
  def fromBytes(bytes: Array[Byte]): ExactCount = Format.read(bytes, Format.ExactCount) { in =>
    val window = in.readVariable()
    check(window)
    in.require(window)
    val count = create(window)
    count.ring.read(in, dropped = false)
    count
  }
}
