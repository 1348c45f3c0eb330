package org.slidewise.core.multisets

/**
 * Sum of longs with 128 bits: adds and subtracts in constant time, and is exact for up to 2^64^ of them. Not safe for concurrent
 * use.
 */
private[multisets] final class WideSum {
  private[this] var high = 0L
  private[this] var low = 0L

  def clear(): Unit = {
    high = 0L
    low = 0L
  }

  def add(value: Long): Unit = {
    low += value
    high += (value >> 63) + (if (java.lang.Long.compareUnsigned(low, value) < 0) 1 else 0)
  }

  def subtract(value: Long): Unit = {
    val borrow = if (java.lang.Long.compareUnsigned(low, value) < 0) 1 else 0
    low -= value
    high -= (value >> 63) + borrow
  }

  /** Whether the sum is a `Long`, which then is `toLong`. */
  def fits: Boolean = high == low >> 63

  /** The sum modulo 2^64^. */
  def toLong: Long = low

  /** The double nearest to the sum; of two, the one with an even significand. */
  def toDouble: Double =
    if (fits) low.toDouble
    else if (high >= 0) WideSum.toDouble(high, low)
    else -WideSum.toDouble(~high + (if (low == 0) 1 else 0), -low)
}

private object WideSum {

  /**
   * The double for a sum of 2^63^ or more. The first 64 bits are rounded once, with a last bit that says whether more bits
   * follow.
   */
  private def toDouble(high: Long, low: Long): Double = {
    val shift = 64 - java.lang.Long.numberOfLeadingZeros(high)
    val top = if (shift == 0) low else if (shift == 64) high else high << 64 - shift | low >>> shift
    val rest = if (shift == 0) 0L else low << 64 - shift
    val sticky = if (rest != 0 || (top & 1) != 0) 1L else 0L
    Math.scalb((top >>> 1 | sticky).toDouble, shift + 1)
  }
}
