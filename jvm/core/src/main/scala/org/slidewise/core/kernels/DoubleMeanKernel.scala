package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames
import org.slidewise.core.batch.Frames.clamp

/** The mean: the sum of [[DoubleSumKernel]] divided by the number of values. */
private[kernels] final class DoubleMeanKernel extends DoubleKernel {
  private val sum = new DoubleSumKernel

  def onRows(
      values: Array[Double],
      valid: Array[Long],
      size: Int,
      lower: Int,
      upper: Int,
      out: Array[Double]
  ): Unit = {
    sum.onRows(values, valid, size, lower, upper, out)
    val counts = new ValidCounts(valid, size)
    var i = 0
    while (i < size) {
      out(i) /= counts.between(clamp(i.toLong + lower, size), clamp(i.toLong + upper + 1, size))
      i += 1
    }
  }

  def onFrames(values: Array[Double], valid: Array[Long], frames: Frames, out: Array[Double]): Unit = {
    sum.onFrames(values, valid, frames, out)
    val counts = new ValidCounts(valid, frames.size)
    var k = 0
    while (k < frames.count) {
      out(k) /= counts.between(frames.lo(k), frames.hi(k))
      k += 1
    }
  }
}
