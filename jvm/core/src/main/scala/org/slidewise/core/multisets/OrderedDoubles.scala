package org.slidewise.core.multisets

/**
 * Maps doubles to longs whose signed order is Spark's order of doubles: NaN is greatest, all NaN are equal, and -0.0 equals 0.0.
 *
 * Equal doubles have the same long, so that a [[ColumnDictionary]] of the longs has one code for them. Thread-safe.
 */
object OrderedDoubles {
  private final val NaNBits = 0x7ff8000000000000L

  /** The long for `value`. A few operations. */
  def toLong(value: Double): Long =
    if (value != value) NaNBits
    else flip(java.lang.Double.doubleToRawLongBits(value + 0.0)) // -0.0 + 0.0 is 0.0

  /** The long for `value` in the same order, except that -0.0 comes before 0.0. */
  def toSignedLong(value: Double): Long =
    if (value != value) NaNBits else flip(java.lang.Double.doubleToRawLongBits(value))

  /** The double for a result of `toLong` or `toSignedLong`: one NaN for all. */
  def toDouble(ordered: Long): Double = java.lang.Double.longBitsToDouble(flip(ordered))

  /** Writes the longs for the first `size` values into `out`. */
  def toLongs(values: Array[Double], size: Int, out: Array[Long]): Unit = {
    var i = 0
    while (i < size) {
      out(i) = toLong(values(i))
      i += 1
    }
  }

  /** Writes the signed longs for the first `size` values into `out`. */
  def toSignedLongs(values: Array[Double], size: Int, out: Array[Long]): Unit = {
    var i = 0
    while (i < size) {
      out(i) = toSignedLong(values(i))
      i += 1
    }
  }

  /** Writes the doubles for the first `size` longs into `out`. */
  def toDoubles(ordered: Array[Long], size: Int, out: Array[Double]): Unit = {
    var i = 0
    while (i < size) {
      out(i) = toDouble(ordered(i))
      i += 1
    }
  }

  /** Reverses the order of negative numbers, whose bits order them by magnitude. Its own inverse. */
  private def flip(bits: Long): Long = bits ^ (bits >> 63 & Long.MaxValue)
}
