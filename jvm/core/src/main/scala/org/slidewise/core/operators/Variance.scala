package org.slidewise.core.operators

import org.slidewise.core.DoubleAggregator

/**
 * Variance and standard deviation, by merging counts, means and sums of squared deviations.
 *
 * The merge is numerically stable: it never subtracts sums of squares. Hence there is no inverse.
 *
 * @see
 *   Chan, Golub, LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979
 */
final class Variance private (freedom: Int, root: Boolean) extends DoubleAggregator {
  override def commutative: Boolean = true

  /** Count, mean and sum of squared deviations. */
  override def width: Int = 3

  override def identity(to: Array[Double], at: Int): Unit = write(to, at, 0.0, 0.0, 0.0)

  override def lift(in: Double, to: Array[Double], at: Int): Unit = write(to, at, 1.0, in, 0.0)

  override def combine(
      to: Array[Double],
      at: Int,
      a: Array[Double],
      i: Int,
      b: Array[Double],
      j: Int
  ): Unit = {
    val n = a(i)
    val m = b(j)
    if (n == 0.0) copy(to, at, b, j)
    else if (m == 0.0) copy(to, at, a, i)
    else {
      val all = n + m
      val delta = b(j + 1) - a(i + 1)
      val mean = if (n == m) 0.5 * (a(i + 1) + b(j + 1)) else a(i + 1) + delta * (m / all)
      write(to, at, all, mean, a(i + 2) + b(j + 2) + delta * delta * (n * (m / all)))
    }
  }

  override def lower(from: Array[Double], at: Int): Double =
    if (from(at) <= freedom) Double.NaN
    else {
      val variance = from(at + 2) / (from(at) - freedom)
      if (root) math.sqrt(variance) else variance
    }
}

object Variance {

  /** The population variance; NaN if there are no elements. */
  val population: Variance = new Variance(0, root = false)

  /** The sample variance; NaN if there are fewer than two elements. */
  val sample: Variance = new Variance(1, root = false)
  val populationStddev: Variance = new Variance(0, root = true)
  val sampleStddev: Variance = new Variance(1, root = true)
}
