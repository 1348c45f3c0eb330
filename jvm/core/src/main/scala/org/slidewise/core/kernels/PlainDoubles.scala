package org.slidewise.core.kernels

/** Finds columns on which the processor's minimum and maximum agree with Spark's order. */
private[kernels] object PlainDoubles {

  /** Whether none of the first `size` values is NaN or -0.0. At most one pass. */
  def apply(values: Array[Double], size: Int): Boolean = {
    var i = 0
    while (i < size && (math.abs(values(i)) > 0 || !isNaNOrNegativeZero(values(i)))) i += 1
    i >= size
  }

  private def isNaNOrNegativeZero(value: Double): Boolean = value != value || (value == 0 && 1 / value < 0)
}
