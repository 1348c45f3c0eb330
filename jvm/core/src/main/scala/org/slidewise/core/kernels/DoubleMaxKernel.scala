package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames

/**
 * Uses the operator of one machine instruction for columns on which it agrees with Spark's order, and the operator with Spark's
 * order for the others.
 *
 * Nulls are first replaced by the identity of the former, which is neither NaN nor -0.0.
 */
private[kernels] final class DoubleMaxKernel extends DoubleKernel {

  /**
   * The width from which Spark's order was measured to be faster: new extremes are then so rare that the branch predictor is
   * right, while the machine instruction waits for its predecessor.
   */
  private final val PredictableWidth = 256

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
    if (upper.toLong - lower < PredictableWidth && isPlain(values, valid, size))
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
