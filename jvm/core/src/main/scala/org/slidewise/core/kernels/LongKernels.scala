package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames

/**
 * The kernels over longs. Nulls are skipped, as Spark does. Means and variances of longs are those of doubles, as in Spark:
 * [[DoubleKernels.widen]] makes doubles of them.
 */
object LongKernels {

  /**
   * The sum, wrapped around past 64 bits. An addition and a subtraction for each element, no memory. Where an overflow is
   * to be an error, ask [[cannotOverflow]] first.
   */
  def sum(): LongKernel = new LongSumKernel

  /** The smallest value. Three combines a row for fixed windows, at most `2n + k` for `k` frames over `n` elements. */
  def min(): LongKernel = new LongMinKernel

  /** The greatest value. Cost as [[min]]. */
  def max(): LongKernel = new LongMaxKernel

  /**
   * Whether no sum over a part of any frame can leave 64 bits: the greatest magnitude times the widest frame fits. One pass
   * over values and frames; `false` says that it could, not that it does.
   */
  def cannotOverflow(values: Array[Long], valid: Array[Long], frames: Frames): Boolean =
    cannotOverflow(values, valid, frames.size, frames.widest)

  /**
   * The same for `size` values and frames of at most `widest` of them. One pass over the values.
   *
   * @throws java.lang.IllegalArgumentException
   *   if an array is too short
   */
  def cannotOverflow(values: Array[Long], valid: Array[Long], size: Int, widest: Int): Boolean = {
    Arguments.check(values.length, valid, size, 0, 0, same = false)
    Validity.foreachNull(valid, size)(values(_) = 0L)
    var least = 0L
    var greatest = 0L
    var i = 0
    while (i < size) {
      least = math.min(least, values(i))
      greatest = math.max(greatest, values(i))
      i += 1
    }
    val most = math.max(1, widest).toLong
    greatest <= Long.MaxValue / most && least >= Long.MinValue / most
  }
}
