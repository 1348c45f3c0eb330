package org.slidewise.core.summaries

import org.slidewise.core.Evolving

/**
 * Sketch of a window in far fewer bits than its elements: an estimate with proven lower and upper bounds.
 *
 * A stream with fewer elements than the window counts as one that began with zeros. Not safe for concurrent use.
 *
 * A summary reports three sizes: [[bits]] and [[headerBytes]] of its stored form, and [[heapBytes]] of the object in memory.
 */
@Evolving
trait WindowSummary {

  /** The estimate, from [[lower]] to [[upper]]. */
  def estimate: Double

  /** A lower bound of the true value. */
  def lower: Double

  /** An upper bound of the true value. */
  def upper: Double

  /** The bits of state that [[toBytes]] packs after its header; less than the object takes in memory. */
  def bits: Long

  /** The bytes of the header of [[toBytes]]: version, kind and parameters. */
  def headerBytes: Int

  /**
   * An upper bound of the heap that this object takes: its arrays, all objects that it refers to, and itself. Constant from
   * creation on.
   */
  def heapBytes: Long

  /** The stored form: `headerBytes`, then `bits` rounded up to bytes. `fromBytes` of the companion reads it. */
  def toBytes: Array[Byte]
}

/** The number of ones among the last `window` bits of a stream. */
@Evolving
trait CountSummary extends WindowSummary {

  /** The number of elements in the window. */
  def window: Long

  /** Adds the next bit; the oldest one leaves. */
  def insert(one: Boolean): Unit
}

/** The sum of the last `window` elements of a stream. */
@Evolving
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
