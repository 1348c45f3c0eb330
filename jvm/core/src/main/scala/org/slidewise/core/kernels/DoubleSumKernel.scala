package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames

/** Replaces nulls by the identity of DoubleSumOp, and runs the loops of DoubleSumRows and DoubleSumFrames. */
private[kernels] final class DoubleSumKernel extends DoubleKernel {
  private val variable = new DoubleSumFrames

  def onRows(
      values: Array[Double],
      valid: Array[Long],
      size: Int,
      lower: Int,
      upper: Int,
      out: Array[Double]
  ): Unit = {
    Validity.foreachNull(valid, size)(values(_) = DoubleSumOp.identity)
    DoubleSumRows(values, size, lower, upper, out)
  }

  def onFrames(values: Array[Double], valid: Array[Long], frames: Frames, out: Array[Double]): Unit = {
    Validity.foreachNull(valid, frames.size)(values(_) = DoubleSumOp.identity)
    variable(values, frames, out)
  }
}
