package org.slidewise.core.kernels

/**
 * The kernels over doubles.
 *
 * They answer as Spark does: nulls are skipped, NaN is greater than any other double, -0.0 equals 0.0 and the oldest of
 * equals is the answer, and a sum differs at most by re-association. Nothing is subtracted, so that what has left a window
 * (an infinity, a NaN, a huge value) leaves no trace.
 */
object DoubleKernels {

  /** The sum. Three combines a row for fixed windows, at most `2n + k` for `k` frames over `n` elements. */
  def sum(): DoubleKernel = new DoubleSumKernel

  /** The smallest value in Spark's order. Cost as [[sum]]. */
  def min(): DoubleKernel = new DoubleMinKernel

  /** The greatest value in Spark's order. Cost as [[sum]]. */
  def max(): DoubleKernel = new DoubleMaxKernel

  /** The sum divided by the number of values. Cost as [[sum]], and one `Int` a call for each 64 elements if any is null. */
  def mean(): DoubleKernel = new DoubleMeanKernel

  /**
   * The variance: the sum of squared distances from the mean, divided by the number of values less `lost`: 0 for that of a
   * population, 1 for that of a sample. By merging means and distances, never by subtracting a square. It has a result
   * where a window has more than `lost` values. At most `2n + k` merges for `k` frames over `n` elements, with one division
   * each; memory three doubles for each element of the widest window and, for `rows`, two `Int` a row and call.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `lost` is negative
   */
  def variance(lost: Int): DoubleKernel = {
    require(lost >= 0, s"lost must be 0 (population), 1 (sample) or more, but is $lost")
    new DoubleVarianceKernel(lost)
  }

  /** Widens longs as Spark does before it takes their mean or variance: `out(i)` is the double nearest to `values(i)`. */
  def widen(values: Array[Long], size: Int, out: Array[Double]): Unit = {
    var i = 0
    while (i < size) {
      out(i) = values(i).toDouble
      i += 1
    }
  }
}
