package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames

/**
 * Takes the fast operator where it agrees with Spark's order, and the one that is Spark's order elsewhere.
 *
 * Nulls become the fast operator's identity first: that is neither NaN nor -0.0, so that only values decide.
 */
private[kernels] final class DoubleMaxKernel extends DoubleKernel {

  /**
   * From this width on, a new extreme of a block is so rare that the processor foresees it, and Spark's order, which
   * branches, is faster than the machine's instruction, which waits: measured.
   */
  private final val Foreseen = 256

  private val plain = new DoubleMaxFrames
  private val total = new DoubleTotalMaxFrames

  def onRows(
      values: Array[Double],
      valid: Array[Long],
      size: Int,
      lower: Int,
      upper: Int,
      out: Array[Double]
  ): Unit =
    if (upper.toLong - lower < Foreseen && isPlain(values, valid, size))
      DoubleMaxRows(values, size, lower, upper, out)
    else {
      Validity.foreachNull(valid, size)(values(_) = DoubleTotalMaxOp.identity)
      DoubleTotalMaxRows(values, size, lower, upper, out)
    }

  def onFrames(values: Array[Double], valid: Array[Long], frames: Frames, out: Array[Double]): Unit =
    if (isPlain(values, valid, frames.size)) plain(values, frames, out)
    else {
      Validity.foreachNull(valid, frames.size)(values(_) = DoubleTotalMaxOp.identity)
      total(values, frames, out)
    }

  private def isPlain(values: Array[Double], valid: Array[Long], size: Int): Boolean = {
    Validity.foreachNull(valid, size)(values(_) = DoubleMaxOp.identity)
    PlainDoubles(values, size)
  }
}
