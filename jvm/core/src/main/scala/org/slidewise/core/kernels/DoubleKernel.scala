package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames

/**
 * An aggregate of Double values over many windows of one column, evaluated for all of them at once; made by DoubleKernels.
 *
 * What is common to all methods:
 *   - `values` are the column. In the slots of null rows a kernel may write;
 *   - `valid` says which rows are not null, as in [[Validity]];
 *   - `out` takes one result a window, and is not `values`. Where a window has no value, what is written is unspecified:
 *     [[Validity.ofFrames]] tells where.
 *
 * A kernel keeps its working memory, at most twice the widest window's elements, from call to call, so that in steady state
 * it makes no garbage but what its maker in DoubleKernels names. Not safe for concurrent use.
 */
abstract class DoubleKernel private[kernels] () {

  /**
   * The windows from `lower` to `upper` rows after each of the first `size` rows, both included and cut off at the ends,
   * as in [[org.slidewise.core.batch.Frames]].
   *
   * @throws java.lang.IllegalArgumentException
   *   if an array is too short, `out` is `values`, or `lower` is past `upper`
   */
  final def rows(
      values: Array[Double],
      valid: Array[Long],
      size: Int,
      lower: Int,
      upper: Int,
      out: Array[Double]
  ): Unit = {
    Arguments.check(values.length, valid, size, out.length, size, values eq out)
    Arguments.checkOffsets(lower, upper)
    onRows(values, valid, size, lower, upper, out)
  }

  /**
   * The windows `frames`.
   *
   * @throws java.lang.IllegalArgumentException
   *   if an array is too short or `out` is `values`
   */
  final def frames(values: Array[Double], valid: Array[Long], frames: Frames, out: Array[Double]): Unit = {
    Arguments.check(values.length, valid, frames.size, out.length, frames.count, values eq out)
    onFrames(values, valid, frames, out)
  }

  private[kernels] def onRows(
      values: Array[Double],
      valid: Array[Long],
      size: Int,
      lower: Int,
      upper: Int,
      out: Array[Double]
  ): Unit

  private[kernels] def onFrames(
      values: Array[Double],
      valid: Array[Long],
      frames: Frames,
      out: Array[Double]
  ): Unit
}
