package org.slidewise.core.operators

import org.slidewise.core.DoubleAggregator

/**
 * Number of occurrences of the greatest (or smallest) double; 0 if there are no elements.
 *
 * @see
 *   Tangwongsan, Hirzel, Schneider, "In-Order Sliding-Window Aggregation in Worst-Case Constant Time", section 2.2
 */
final class DoubleExtremeCount private[operators] (largest: Boolean) extends DoubleAggregator {
  override def commutative: Boolean = true

  /** The extreme and its count. */
  override def width: Int = 2

  override def identity(to: Array[Double], at: Int): Unit =
    write(to, at, Extremes.weakestDouble(largest), 0)

  override def lift(in: Double, to: Array[Double], at: Int): Unit = write(to, at, in, 1)

  override def combine(to: Array[Double], at: Int, a: Array[Double], i: Int, b: Array[Double], j: Int): Unit =
    if (Extremes.wins(a(i), b(j), largest)) copy(to, at, a, i)
    else if (Extremes.wins(b(j), a(i), largest)) copy(to, at, b, j)
    else write(to, at, a(i), a(i + 1) + b(j + 1))

  override def lower(from: Array[Double], at: Int): Double = from(at + 1)
}
