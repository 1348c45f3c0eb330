package org.slidewise.core.kernels

/** Tells columns apart on which the processor's own minimum and maximum agree with Spark's order. */
private[kernels] object PlainDoubles {

  /** Whether none of the first `size` values is NaN or -0.0. One pass at most, without a combine. */
  def apply(values: Array[Double], size: Int): Boolean = {
    var i = 0
    while (i < size && (math.abs(values(i)) > 0 || !odd(values(i)))) i += 1
    i >= size
  }

  private def odd(value: Double): Boolean = value != value || (value == 0 && 1 / value < 0)
}
