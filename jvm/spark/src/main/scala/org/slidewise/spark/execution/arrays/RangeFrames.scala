package org.slidewise.spark.execution.arrays

import java.lang.Long.compareUnsigned

import org.slidewise.core.batch.Frames

/**
 * RANGE frames of a partition, found as Spark finds them: rows before the lower end leave, then rows up to the upper end enter.
 */
private[arrays] object RangeFrames {

  /**
   * @param lower
   *   null if unbounded
   * @param upper
   *   null if unbounded
   */
  def of(
      keys: Array[Long],
      from: Int,
      until: Int,
      nulls: Int,
      nullsFirst: Boolean,
      lower: BoundKeys,
      upper: BoundKeys
  ): Frames = {
    val size = until - from
    val lo = new Array[Int](size)
    val hi = new Array[Int](size)
    val firstNull = if (nullsFirst) 0 else size - nulls
    val first = if (nullsFirst) nulls else 0
    slide(keys, from, first, size - nulls + first, size, lower, upper, lo, hi)
    // The frame of a null holds all nulls, and all rows on a side where the frame is unbounded.
    var i = firstNull
    while (i < firstNull + nulls) {
      lo(i) = if (lower == null) 0 else firstNull
      hi(i) = if (upper == null) size else firstNull + nulls
      i += 1
    }
    Frames.of(lo, hi, size, size)
  }

  /** Slides the frames over the rows `first until last` of the partition. These are the rows without nulls. */
  private def slide(
      keys: Array[Long],
      from: Int,
      first: Int,
      last: Int,
      size: Int,
      lower: BoundKeys,
      upper: BoundKeys,
      lo: Array[Int],
      hi: Array[Int]
  ): Unit = {
    var start = if (lower == null) 0 else first
    var end = first
    var i = first
    while (i < last) {
      val least = if (lower == null) 0L else lower(from + i)
      if (upper == null) end = size // nulls that come last included
      while (start < math.min(end, last) && compareUnsigned(keys(from + start), least) < 0) start += 1
      if (upper != null) {
        val most = upper(from + i)
        while (end < last && compareUnsigned(keys(from + end), most) <= 0) {
          if (start == end && compareUnsigned(keys(from + end), least) < 0) start += 1
          end += 1
        }
      }
      lo(i) = start
      hi(i) = end
      i += 1
    }
  }
}
