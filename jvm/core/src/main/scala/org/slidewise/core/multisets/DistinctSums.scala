package org.slidewise.core.multisets

import org.slidewise.core.batch.Frames
import org.slidewise.core.kernels.Validity

/**
 * Sums the distinct longs of each frame: SQL's `sum(DISTINCT column)`, and the sum that `avg(DISTINCT column)` needs.
 *
 * The sum has 128 bits, so that subtraction is exact, and a sum that does not fit a `Long` is found in the frame where it does
 * not fit.
 *
 * '''Cost.''' Constant time for each row that enters or leaves, and for each frame. Memory: [[DistinctSums.BytesARow]] for each
 * code of the largest column, kept for the next column. Not safe for concurrent use.
 */
final class DistinctSums extends DistinctMultiset {
  private[this] val sum = new WideSum
  private[this] var values: Array[Long] = _
  private[this] var sums: Array[Long] = _
  private[this] var fits: Array[Long] = _
  private[this] var totals: Array[Double] = _
  private[this] var allFit = true

  /**
   * Writes the sum of the distinct values of each frame into `out`: 0 for a frame without values, and the sum modulo 2^64^ where
   * it does not fit.
   *
   * @param dictionary
   *   the dictionary of the column
   * @param fits
   *   receives a bitmap as in [[org.slidewise.core.kernels.Validity]]: the bit of each frame whose sum fits a `Long` is set
   * @return
   *   whether all sums fit
   * @throws java.lang.IllegalArgumentException
   *   if an array is too short
   */
  def frames(dictionary: ColumnDictionary, frames: Frames, out: Array[Long], fits: Array[Long]): Boolean = {
    SlidingMultiset.checkOut(out.length, frames)
    val words = Validity.words(frames.count)
    require(words <= fits.length, s"fits must have $words words, but has ${fits.length}")
    java.util.Arrays.fill(fits, 0, words, 0L)
    this.sums = out
    this.fits = fits
    evaluate(dictionary, frames)
    allFit
  }

  /**
   * Writes the sum of the distinct values of each frame into `out`, rounded once to the nearest double.
   *
   * @throws java.lang.IllegalArgumentException
   *   if an array is too short
   */
  def totals(dictionary: ColumnDictionary, frames: Frames, out: Array[Double]): Unit = {
    SlidingMultiset.checkOut(out.length, frames)
    this.totals = out
    evaluate(dictionary, frames)
  }

  private def evaluate(dictionary: ColumnDictionary, frames: Frames): Unit = {
    clearCounts(dictionary.cardinality)
    sum.clear()
    allFit = true
    values = dictionary.values
    try slide(dictionary.codes, frames)
    finally {
      values = null
      sums = null
      fits = null
      totals = null
    }
  }

  private[multisets] def appear(code: Int): Unit = sum.add(values(code))
  private[multisets] def disappear(code: Int): Unit = sum.subtract(values(code))

  private[multisets] def write(k: Int): Unit =
    if (totals != null) totals(k) = sum.toDouble
    else {
      sums(k) = sum.toLong
      if (sum.fits) fits(k >>> 6) |= 1L << k
      else allFit = false
    }
}

object DistinctSums {

  /** The most bytes for each row of the longest column: one count. */
  final val BytesARow: Long = 4
}
