package org.slidewise.core.operators

import org.slidewise.core.{DoubleAggregator, LongAggregator}

/**
 * Comparisons of the minimum and maximum operators, in the order of `java.lang.Double.compare` (NaN greatest, -0.0 below 0.0)
 * and of `java.lang.Long.compare`.
 */
private[operators] object Extremes {

  def greater(a: Double, b: Double): Boolean = a > b || (!(a < b) && java.lang.Double.compare(a, b) > 0)

  def wins(a: Double, b: Double, largest: Boolean): Boolean = if (largest) greater(a, b) else greater(b, a)

  def wins(a: Long, b: Long, largest: Boolean): Boolean = if (largest) a > b else a < b

  def weakestDouble(largest: Boolean): Double = if (largest) Double.NegativeInfinity else Double.NaN

  def weakestLong(largest: Boolean): Long = if (largest) Long.MinValue else Long.MaxValue
}

/** The greatest double; negative infinity if there are no elements. NaN is greater than all others. */
object DoubleMax extends DoubleExtreme(true) {
  override def combine(to: Array[Double], at: Int, a: Array[Double], i: Int, b: Array[Double], j: Int): Unit =
    to(at) = math.max(a(i), b(j))
}

/** The smallest double; NaN, which is greater than all others, if there are no elements. */
object DoubleMin extends DoubleExtreme(false) {
  override def combine(to: Array[Double], at: Int, a: Array[Double], i: Int, b: Array[Double], j: Int): Unit =
    to(at) = if (Extremes.greater(a(i), b(j))) b(j) else a(i)
}

sealed abstract class DoubleExtreme(largest: Boolean) extends DoubleAggregator {
  override def commutative: Boolean = true
  override def selective: Boolean = true
  override def width: Int = 1
  override def identity(to: Array[Double], at: Int): Unit = to(at) = Extremes.weakestDouble(largest)
  override def lift(in: Double, to: Array[Double], at: Int): Unit = to(at) = in
  override def lower(from: Array[Double], at: Int): Double = from(at)
}

/** The greatest long; `Long.MinValue` if there are no elements. */
object LongMax extends LongExtreme(true) {
  override def combine(to: Array[Long], at: Int, a: Array[Long], i: Int, b: Array[Long], j: Int): Unit =
    to(at) = math.max(a(i), b(j))
}

/** The smallest long; `Long.MaxValue` if there are no elements. */
object LongMin extends LongExtreme(false) {
  override def combine(to: Array[Long], at: Int, a: Array[Long], i: Int, b: Array[Long], j: Int): Unit =
    to(at) = math.min(a(i), b(j))
}

sealed abstract class LongExtreme(largest: Boolean) extends LongAggregator {
  override def commutative: Boolean = true
  override def selective: Boolean = true
  override def width: Int = 1
  override def identity(to: Array[Long], at: Int): Unit = to(at) = Extremes.weakestLong(largest)
  override def lift(in: Long, to: Array[Long], at: Int): Unit = to(at) = in
  override def lower(from: Array[Long], at: Int): Long = from(at)
}
