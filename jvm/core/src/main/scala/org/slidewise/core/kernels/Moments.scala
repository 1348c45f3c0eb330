package org.slidewise.core.kernels

/**
 * Count, mean and sum of squared distances from the mean, merged as Spark merges them.
 *
 * @see
 *   Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances"
 */
private[kernels] final class Moments {
  var count = 0.0
  var mean = 0.0
  var distances = 0.0

  def clear(): Unit = {
    count = 0.0
    mean = 0.0
    distances = 0.0
  }

  def add(value: Double): Unit = {
    // The distances of one value alone are NaN, not 0, if it is an infinity or NaN: as in Spark.
    val delta = value - mean
    count += 1.0
    // The quotient does not wait for the chain of means, as delta / count would: a merge's speed is that of this chain.
    val step = delta * (1.0 / count)
    mean += step
    distances += delta * (delta - step)
  }

  def merge(otherCount: Double, otherMean: Double, otherDistances: Double): Unit =
    if (otherCount > 0.0) {
      val total = count + otherCount
      val delta = otherMean - mean
      val step = delta / total
      mean += step * otherCount
      distances += otherDistances + delta * step * count * otherCount
      count = total
    }
}
