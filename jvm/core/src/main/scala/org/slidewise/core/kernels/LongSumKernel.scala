package org.slidewise.core.kernels

import org.slidewise.core.batch.Frames
import org.slidewise.core.batch.Frames.clamp

/** Adds the elements that enter and subtracts those that leave, which is exact modulo 2^64^. No memory. */
private[kernels] final class LongSumKernel extends LongKernel {

  def onRows(
      values: Array[Long],
      valid: Array[Long],
      size: Int,
      lower: Int,
      upper: Int,
      out: Array[Long]
  ): Unit = {
    clearNulls(values, valid, size)
    val inside = clamp(-lower.toLong, size)
    val cut = math.max(inside, clamp(size - upper.toLong, size))
    cutOff(values, size, lower, upper, 0, inside, out)
    if (inside < cut) slide(values, lower, upper, inside, cut, out)
    cutOff(values, size, lower, upper, cut, size, out)
  }

  def onFrames(values: Array[Long], valid: Array[Long], frames: Frames, out: Array[Long]): Unit = {
    clearNulls(values, valid, frames.size)
    var sum = 0L
    var start = 0
    var end = 0
    var k = 0
    while (k < frames.count) {
      val lo = frames.lo(k)
      if (lo >= end) {
        sum = 0L
        start = lo
        end = lo
      }
      sum += total(values, end, frames.hi(k)) - total(values, start, lo)
      start = lo
      end = frames.hi(k)
      out(k) = sum
      k += 1
    }
  }

  /** The rows from `from` until `until`: their windows are full. */
  private def slide(
      values: Array[Long],
      lower: Int,
      upper: Int,
      from: Int,
      until: Int,
      out: Array[Long]
  ): Unit = {
    var sum = total(values, from + lower, from + upper)
    var row = from
    while (row < until) {
      sum += values(row + upper)
      out(row) = sum
      sum -= values(row + lower)
      row += 1
    }
  }

  /** The rows from `from` until `until`: their windows are truncated at an end. */
  private def cutOff(
      values: Array[Long],
      size: Int,
      lower: Int,
      upper: Int,
      from: Int,
      until: Int,
      out: Array[Long]
  ): Unit = {
    var start = clamp(from.toLong + lower, size)
    var end = start
    var sum = 0L
    var row = from
    while (row < until) {
      val lo = clamp(row.toLong + lower, size)
      val hi = clamp(row.toLong + upper + 1, size)
      sum += total(values, end, hi) - total(values, start, lo)
      start = lo
      end = hi
      out(row) = sum
      row += 1
    }
  }

  private def total(values: Array[Long], from: Int, until: Int): Long = {
    var sum = 0L
    var at = from
    while (at < until) {
      sum += values(at)
      at += 1
    }
    sum
  }

  private def clearNulls(values: Array[Long], valid: Array[Long], size: Int): Unit =
    Validity.foreachNull(valid, size)(values(_) = 0L)
}
