package org.slidewise.core.summaries

/**
 * What is known of a window in far fewer bits than the window has: an estimate between proven bounds.
 *
 * A stream that has had fewer elements than the window holds is as one that began with zeros. None of these objects is safe
 * for several threads at once.
 */
trait WindowSummary {

  /** The best single answer; always from [[lower]] to [[upper]]. */
  def estimate: Double

  /** What the window has at least. */
  def lower: Double

  /** What the window has at most. */
  def upper: Double

  /** The bits of state, which is what [[toBytes]] packs after its header. */
  def bits: Long

  /** The bytes that [[toBytes]] puts in front: version, kind and parameters. */
  def headerBytes: Int

  /** The whole summary, in `headerBytes` and then `bits` rounded up to bytes; `fromBytes` of the companion reads it. */
  def toBytes: Array[Byte]
}

/** The number of ones among the last `window` bits of a stream. */
trait CountSummary extends WindowSummary {

  /** The number of elements in the window. */
  def window: Long

  /** Adds the next bit; the oldest one leaves. */
  def insert(one: Boolean): Unit
}

/** The sum of the last `window` elements of a stream. */
trait SumSummary extends WindowSummary {

  /** The number of elements in the window. */
  def window: Long

  /**
   * Adds the next element; the oldest one leaves.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `value` is outside the declared range
   */
  def insert(value: Long): Unit
}
