package org.slidewise.spark.execution.arrays

import org.slidewise.core.kernels.{LongKernels, ValidCounts}
import org.slidewise.spark.execution.sorting.SortedColumns
import org.slidewise.spark.execution.surroundings.ArrayValue
import org.slidewise.spark.plan.{ArrayKernel, Frame}

/** Sums and means of decimals by their unscaled values. */
private[arrays] object Decimals {

  /**
   * Whether no sum of a frame can exceed the kernel's [[ArrayKernel.OfDecimals.most]]. One pass over the column.
   *
   * @param column
   *   the column of the unscaled values
   * @param largest
   *   the number of rows in the largest partition
   * @param others
   *   the partial aggregates of other tasks; null where there is none
   */
  def fit(
      kernel: ArrayKernel.OfDecimals,
      frame: Frame,
      sorted: SortedColumns,
      column: Int,
      largest: Int,
      others: Seq[ArrayValue]
  ): Boolean = {
    val size = sorted.order.size
    val greatest = LongKernels.magnitude(sorted.columns(column), sorted.columns.valid(column, size), size)
    val own = BigInt(greatest) * widest(frame, largest)
    own + others.filter(_ != null).map(value => BigInt(value.long).abs).sum <= kernel.most
  }

  private def widest(frame: Frame, largest: Int): Long = frame match {
    case Frame.Rows(Some(lower), Some(upper)) =>
      math.max(0L, math.min(largest.toLong, upper.toLong - lower + 1))
    case _ => largest.toLong
  }

  /** Divides sums by the numbers of values in their frames. Sums of frames without values stay unchanged. */
  def divide(
      sums: Array[Long],
      size: Int,
      frames: PartitionFrames,
      counts: ValidCounts,
      further: Long,
      factor: Long
  ): Unit = {
    val lo = frames.frames.lo
    val hi = frames.frames.hi
    var i = 0
    while (i < size) {
      sums(i) = mean(sums(i), counts.between(lo(i), hi(i)) + further, factor)
      i += 1
    }
  }

  /** `sum * factor / count`, rounded to the nearest number and half away from zero, as in Spark. */
  def mean(sum: Long, count: Long, factor: Long): Long =
    if (count == 0L) sum
    else {
      val scaled = sum * factor
      val quotient = scaled / count
      val rest = math.abs(scaled % count)
      if (rest >= count - rest) quotient + (if (scaled < 0L) -1L else 1L) else quotient
    }
}
