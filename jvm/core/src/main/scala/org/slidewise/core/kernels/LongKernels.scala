package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames

/**
 * Creates the kernels over longs. Nulls are skipped, as in Spark. For means and variances, cast the longs with
 * [[DoubleKernels.widen]], as Spark does.
 */
object LongKernels {

  /**
   * The sum modulo 2^64^. One addition and one subtraction for each element; no memory. Call [[cannotOverflow]] first if an
   * overflow is an error.
   */
  def sum(): LongKernel = new LongSumKernel

  /** The smallest value. Three combines a row for fixed windows, at most `2n + k` for `k` frames over `n` elements. */
  def min(): LongKernel = new LongMinKernel

  /** The greatest value. Cost as [[min]]. */
  def max(): LongKernel = new LongMaxKernel

  /**
   * Whether no sum over a part of any frame can overflow: the greatest magnitude times the widest frame fits 64 bits. One pass
   * over values and frames. `false` means that a sum may overflow.
   */
  def cannotOverflow(values: Array[Long], valid: Array[Long], frames: Frames): Boolean =
    cannotOverflow(values, valid, frames.size, frames.widest)

  /**
   * Whether no sum over a part of any frame can overflow, for frames of at most `widest` of `size` values. One pass over the
   * values.
   *
   * @throws java.lang.IllegalArgumentException
   *   if an array is too short
   */
  def cannotOverflow(values: Array[Long], valid: Array[Long], size: Int, widest: Int): Boolean = {
    Arguments.check(values.length, valid, size, 0, 0, same = false)
    val (least, greatest) = extremes(values, valid, size)
    val most = math.max(1, widest).toLong
    greatest <= Long.MaxValue / most && least >= Long.MinValue / most
  }

  /**
   * The greatest magnitude of `size` values; `Long.MaxValue` for that of `Long.MinValue`, too. One pass. Writes zeros to the places
   * of nulls.
   *
   * @throws java.lang.IllegalArgumentException
   *   if an array is too short
   */
  def magnitude(values: Array[Long], valid: Array[Long], size: Int): Long = {
    Arguments.check(values.length, valid, size, 0, 0, same = false)
    val (least, greatest) = extremes(values, valid, size)
    math.max(greatest, if (least == Long.MinValue) Long.MaxValue else -least)
  }

  /** The least and the greatest of some values and of zero. */
  private def extremes(values: Array[Long], valid: Array[Long], size: Int): (Long, Long) = {
    Validity.foreachNull(valid, size)(values(_) = 0L)
    var least = 0L
    var greatest = 0L
    var i = 0
    while (i < size) {
      least = math.min(least, values(i))
      greatest = math.max(greatest, values(i))
      i += 1
    }
    (least, greatest)
  }
}
