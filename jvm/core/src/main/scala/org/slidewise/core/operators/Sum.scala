package org.slidewise.core.operators

import org.slidewise.core.{InvertibleDoubleAggregator, InvertibleLongAggregator}

/** The sum of doubles; 0 if there are no elements. */
object DoubleSum extends InvertibleDoubleAggregator {
  override def commutative: Boolean = true
  override def width: Int = 1
  override def identity(to: Array[Double], at: Int): Unit = to(at) = 0.0
  override def lift(in: Double, to: Array[Double], at: Int): Unit = to(at) = in
  override def lower(from: Array[Double], at: Int): Double = from(at)
  override def combine(to: Array[Double], at: Int, a: Array[Double], i: Int, b: Array[Double], j: Int): Unit =
    to(at) = a(i) + b(j)
  override def suffixes(cells: Array[Double], at: Int, stride: Int, count: Int): Unit = {
    var i = at + count - 1
    var total = cells(i)
    while (i > at) {
      i -= 1
      total = cells(i) + total
      cells(i) = total
    }
  }
  override def subtract(
      to: Array[Double],
      at: Int,
      a: Array[Double],
      i: Int,
      b: Array[Double],
      j: Int
  ): Unit =
    to(at) = a(i) - b(j)
}

/** Base of sums of longs, modulo 2^64^. */
sealed abstract class LongAddition extends InvertibleLongAggregator {
  override def commutative: Boolean = true
  override def width: Int = 1
  override def identity(to: Array[Long], at: Int): Unit = to(at) = 0L
  override def lower(from: Array[Long], at: Int): Long = from(at)
  override def combine(to: Array[Long], at: Int, a: Array[Long], i: Int, b: Array[Long], j: Int): Unit =
    to(at) = a(i) + b(j)
  override def subtract(to: Array[Long], at: Int, a: Array[Long], i: Int, b: Array[Long], j: Int): Unit =
    to(at) = a(i) - b(j)
}

/** The sum of longs, modulo 2^64^; 0 if there are no elements. */
object LongSum extends LongAddition {
  override def lift(in: Long, to: Array[Long], at: Int): Unit = to(at) = in
}

/** The number of elements. */
object LongCount extends LongAddition {
  override def lift(in: Long, to: Array[Long], at: Int): Unit = to(at) = 1L
}
