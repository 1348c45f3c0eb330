package org.slidewise.core.kernels

/**
 * Count, mean and sum of squared deviations from the mean, merged as in Spark.
 *
 * @see
 *   Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances"
 */
private[kernels] final class Moments {
  var count = 0.0
  var mean = 0.0
  var deviations = 0.0

  def clear(): Unit = {
    count = 0.0
    mean = 0.0
    deviations = 0.0
  }

  def add(value: Double): Unit = {
    // For a single infinity or NaN the deviations are NaN and not 0, as in Spark.
    val delta = value - mean
    count += 1.0
    // Unlike delta / count, the quotient does not depend on the previous mean, which shortens the dependency chain.
    val step = delta * (1.0 / count)
    mean += step
    deviations += delta * (delta - step)
  }

  def merge(otherCount: Double, otherMean: Double, otherDeviations: Double): Unit =
    if (count == 0.0) { // the product below would be NaN for a mean whose square is infinite
      count = otherCount
      mean = otherMean
      deviations = otherDeviations
    } else if (otherCount > 0.0) {
      val total = count + otherCount
      val delta = otherMean - mean
      val step = delta / total
      mean += step * otherCount
      deviations += otherDeviations + delta * step * count * otherCount
      count = total
    }
}
