package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames

/**
 * Variances by Two-Stacks Lite over arrays, with the invariants (T1) and (T2) of `DoubleSumFrames` for `Moments`. Skips nulls
 * when it reads elements.
 */
private[kernels] final class DoubleVarianceKernel(ddof: Int) extends DoubleKernel {
  private var counts = new Array[Double](16)
  private var means = new Array[Double](16)
  private var deviations = new Array[Double](16)
  private val running = new Moments // the suffix within `turn`, otherwise the prefix

  def onRows(
      values: Array[Double],
      valid: Array[Long],
      size: Int,
      lower: Int,
      upper: Int,
      out: Array[Double]
  ): Unit = onFrames(values, valid, Frames.rows(size, lower, upper), out)

  def onFrames(values: Array[Double], valid: Array[Long], frames: Frames, out: Array[Double]): Unit = {
    val answer = new Moments
    var base = 0
    var middle = 0
    var end = 0
    var k = 0
    running.clear()
    while (k < frames.count) {
      val lo = frames.lo(k)
      val hi = frames.hi(k)
      if (lo >= end) {
        running.clear()
        base = lo
        middle = lo
        end = lo
      } else if (lo > middle) {
        turn(values, valid, lo, hi)
        base = lo
        middle = hi
        end = hi
      }
      while (end < hi) {
        if (Validity.at(valid, end)) running.add(values(end))
        end += 1
      }
      answer.clear()
      if (lo < middle) answer.merge(counts(lo - base), means(lo - base), deviations(lo - base))
      answer.merge(running.count, running.mean, running.deviations)
      out(k) = if (answer.count > ddof) answer.deviations / (answer.count - ddof) else Double.NaN
      k += 1
    }
  }

  /** Establishes (T1) for a frame that starts after `middle`. */
  private def turn(values: Array[Double], valid: Array[Long], lo: Int, hi: Int): Unit = {
    if (counts.length < hi - lo) makeRoom(math.min(values.length.toLong, 2L * (hi - lo)).toInt)
    running.clear()
    var at = hi - 1
    while (at >= lo) {
      if (Validity.at(valid, at)) running.add(values(at))
      counts(at - lo) = running.count
      means(at - lo) = running.mean
      deviations(at - lo) = running.deviations
      at -= 1
    }
    running.clear()
  }

  private def makeRoom(size: Int): Unit = {
    counts = new Array[Double](size)
    means = new Array[Double](size)
    deviations = new Array[Double](size)
  }
}
