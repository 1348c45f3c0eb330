package org.slidewise.core.operators

import org.slidewise.core.InvertibleDoubleAggregator

/** Base of means: a sum and a count. */
sealed abstract class Average extends InvertibleDoubleAggregator {
  override def commutative: Boolean = true
  override def width: Int = 2
  override def identity(to: Array[Double], at: Int): Unit = write(to, at, 0.0, 0.0)
  override def combine(
      to: Array[Double],
      at: Int,
      a: Array[Double],
      i: Int,
      b: Array[Double],
      j: Int
  ): Unit = {
    val count = a(i + 1) + b(j + 1)
    val sum = a(i) + b(j)
    to(at + 1) = count
    to(at) = sum
  }
  override def suffixes(cells: Array[Double], at: Int, stride: Int, count: Int): Unit = {
    var i = at + 2 * (count - 1)
    var sum = cells(i)
    var number = cells(i + 1)
    while (i > at) {
      i -= 2
      number = cells(i + 1) + number
      sum = cells(i) + sum
      cells(i + 1) = number
      cells(i) = sum
    }
  }
  override def subtract(
      to: Array[Double],
      at: Int,
      a: Array[Double],
      i: Int,
      b: Array[Double],
      j: Int
  ): Unit = write(to, at, a(i) - b(j), a(i + 1) - b(j + 1))
}

/** The arithmetic mean; NaN if there are no elements. */
object Mean extends Average {
  override def lift(in: Double, to: Array[Double], at: Int): Unit = write(to, at, in, 1.0)
  override def lower(from: Array[Double], at: Int): Double = from(at) / from(at + 1)
}

/**
 * The geometric mean of positive numbers; 0 if one is 0, NaN if there are no elements or one is negative.
 *
 * Sums binary logarithms, which cannot overflow as a product does.
 */
object GeometricMean extends Average {
  override def lift(in: Double, to: Array[Double], at: Int): Unit = write(to, at, BinaryLog.log2(in), 1.0)
  override def lower(from: Array[Double], at: Int): Double = BinaryLog.exp2(from(at) / from(at + 1))
}
