package org.slidewise.core.summaries

/**
 * The number of ones among the last W bits, exactly: the bits themselves. W bits, which no exact summary can better; O(1).
 *
 * A yardstick for the others.
 */
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

  /** A window of `window` zeros, from 1 to 2^30^. */
  def create(window: Long): ExactCount = {
    if (window < 1 || window > Arguments.MaxBits) Arguments.outside("window", window, "from 1 to 2^30")
    new ExactCount(window)
  }

  /** The summary that [[ExactCount.toBytes]] stored. */
  def fromBytes(bytes: Array[Byte]): ExactCount = Format.read(bytes, Format.ExactCount) { in =>
    val count = create(in.readVariable())
    count.ring.read(in, dropped = false)
    count
  }
}
