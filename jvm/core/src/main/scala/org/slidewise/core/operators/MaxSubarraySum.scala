package org.slidewise.core.operators

import org.slidewise.core.DoubleAggregator

/** The greatest sum of one or more consecutive elements; negative infinity if there are no elements. */
object MaxSubarraySum extends DoubleAggregator {

  /** The total, and the greatest sums of a prefix, of a suffix and of any run. */
  override def width: Int = 4

  override def identity(to: Array[Double], at: Int): Unit =
    write(to, at, 0.0, Double.NegativeInfinity, Double.NegativeInfinity, Double.NegativeInfinity)

  override def lift(in: Double, to: Array[Double], at: Int): Unit = write(to, at, in, in, in, in)

  override def combine(to: Array[Double], at: Int, a: Array[Double], i: Int, b: Array[Double], j: Int): Unit =
    write(
      to,
      at,
      a(i) + b(j),
      math.max(a(i + 1), a(i) + b(j + 1)),
      math.max(b(j + 2), a(i + 2) + b(j)),
      math.max(math.max(a(i + 3), b(j + 3)), a(i + 2) + b(j + 1))
    )

  override def lower(from: Array[Double], at: Int): Double = from(at + 3)
}
