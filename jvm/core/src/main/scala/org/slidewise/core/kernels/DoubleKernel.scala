package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames

/**
 * Evaluates an aggregate of Double values over many windows of one column. Created by DoubleKernels.
 *
 * Arguments of all methods:
 *   - `values`: the column. A kernel may overwrite the slots of null rows;
 *   - `valid`: the rows that are not null, as in [[Validity]];
 *   - `out`: receives one result for each window; another array than `values`. The result of a window without values is
 *     unspecified: [[Validity.ofFrames]] finds these windows.
 *
 * '''Memory.''' Scratch arrays with room for at most twice the elements of the widest window so far (at least 16), kept between
 * calls: one number for each element, two for `min` and `max` of doubles, three for the variance, none for the sum of longs.
 * Each call also allocates the arrays that the factory method in DoubleKernels states. Not safe for concurrent use.
 */
abstract class DoubleKernel private[kernels] () {

  /**
   * Evaluates the windows from `lower` to `upper` rows after each of the first `size` rows, both included and truncated at the
   * ends, as in [[org.slidewise.core.batch.Frames]]. The windows are empty if `lower` is past `upper`.
   *
   * @throws java.lang.IllegalArgumentException
   *   if an array is too short or `out` is `values`
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
    if (lower <= upper) onRows(values, valid, size, lower, upper, out)
  }

  /**
   * Evaluates the windows `frames`.
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
