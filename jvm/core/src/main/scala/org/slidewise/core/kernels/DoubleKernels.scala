package org.slidewise.core.kernels

/**
 * Creates the kernels over doubles.
 *
 * Results are those of Spark: nulls are skipped, NaN is greater than any other double, -0.0 equals 0.0, and the oldest of equal
 * values is the extreme. Sums differ by re-association only. Kernels never subtract, so that an infinity, a NaN or a huge value
 * has no effect after it has left the window.
 */
object DoubleKernels {

  /** The sum. Three combines a row for fixed windows, at most `2n + k` for `k` frames over `n` elements. */
  def sum(): DoubleKernel = new DoubleSumKernel

  /** The smallest value in Spark's order. Cost as [[sum]]. */
  def min(): DoubleKernel = new DoubleMinKernel

  /** The greatest value in Spark's order. Cost as [[sum]]. */
  def max(): DoubleKernel = new DoubleMaxKernel

  /** The mean. Cost as [[sum]], and one `Int` for each 64 elements in each call if there are nulls. */
  def mean(): DoubleKernel = new DoubleMeanKernel

  /**
   * The variance: the sum of squared deviations from the mean, divided by the number of values minus `ddof`. A window with at
   * most `ddof` values has NaN. Merges means and deviations, and never subtracts squares.
   *
   * At most `2n + k` merges for `k` frames over `n` elements, with one division each. Memory: three doubles for each element of
   * the widest window, and two `Int` for each row in each call of `rows`.
   *
   * @param ddof
   *   delta degrees of freedom: 0 for the population variance, 1 for the sample variance
   * @throws java.lang.IllegalArgumentException
   *   if `ddof` is negative
   */
  def variance(ddof: Int): DoubleKernel = {
    require(ddof >= 0, s"ddof must be 0 (population), 1 (sample) or more, but is $ddof")
    new DoubleVarianceKernel(ddof)
  }

  /** Writes the double nearest to `values(i)` to `out(i)`, as Spark casts longs for their mean or variance. */
  def widen(values: Array[Long], size: Int, out: Array[Double]): Unit = {
    var i = 0
    while (i < size) {
      out(i) = values(i).toDouble
      i += 1
    }
  }
}
