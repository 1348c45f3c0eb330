package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames

private[kernels] final class LongMaxKernel extends LongKernel {
  private val variable = new LongMaxFrames

  def onRows(
      values: Array[Long],
      valid: Array[Long],
      size: Int,
      lower: Int,
      upper: Int,
      out: Array[Long]
  ): Unit = {
    Validity.foreachNull(valid, size)(values(_) = LongMax.identity)
    LongMaxRows(values, size, lower, upper, out)
  }

  def onFrames(values: Array[Long], valid: Array[Long], frames: Frames, out: Array[Long]): Unit = {
    Validity.foreachNull(valid, frames.size)(values(_) = LongMax.identity)
    variable(values, frames, out)
  }
}
