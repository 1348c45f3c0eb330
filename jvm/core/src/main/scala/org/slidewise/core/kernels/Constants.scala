package org.slidewise.core.kernels

/**
 * Combines each of the first `size` results of a kernel with one value: the aggregate of elements that lie outside of the
 * kernel's arrays and belong to all frames. One pass each, without memory. Results of frames without values are combined as they
 * are; their value is not defined.
 */
object Constants {

  /** Adds `value`, modulo 2^64^. */
  def add(out: Array[Long], size: Int, value: Long): Unit = {
    var i = 0
    while (i < size) {
      out(i) += value
      i += 1
    }
  }

  /** Takes the smaller one. */
  def min(out: Array[Long], size: Int, value: Long): Unit = {
    var i = 0
    while (i < size) {
      out(i) = LongMinOp.combine(out(i), value)
      i += 1
    }
  }

  /** Takes the greater one. */
  def max(out: Array[Long], size: Int, value: Long): Unit = {
    var i = 0
    while (i < size) {
      out(i) = LongMaxOp.combine(out(i), value)
      i += 1
    }
  }

  /** Adds `value`. */
  def add(out: Array[Double], size: Int, value: Double): Unit = {
    var i = 0
    while (i < size) {
      out(i) += value
      i += 1
    }
  }

  /**
   * Takes the smaller one in Spark's order: NaN is greatest, -0.0 equals 0.0, and the older of equal values wins.
   *
   * @param isOlder
   *   whether `value` is older than the elements of all frames
   */
  def min(out: Array[Double], size: Int, value: Double, isOlder: Boolean): Unit = {
    var i = 0
    if (isOlder)
      while (i < size) {
        out(i) = DoubleTotalMinOp.combine(value, out(i))
        i += 1
      }
    else
      while (i < size) {
        out(i) = DoubleTotalMinOp.combine(out(i), value)
        i += 1
      }
  }

  /** Takes the greater one; as [[min]]. */
  def max(out: Array[Double], size: Int, value: Double, isOlder: Boolean): Unit = {
    var i = 0
    if (isOlder)
      while (i < size) {
        out(i) = DoubleTotalMaxOp.combine(value, out(i))
        i += 1
      }
    else
      while (i < size) {
        out(i) = DoubleTotalMaxOp.combine(out(i), value)
        i += 1
      }
  }
}
