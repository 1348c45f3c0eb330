package org.slidewise.spark.execution.parallel

/** Merges sorted segments of an array of longs, two at a time, without boxing. Equal values keep their order. */
private[parallel] object SortedSegments {

  /** Compares two values. */
  trait Order {
    def compare(a: Long, b: Long): Int
  }

  /**
   * Sorts `values`, which it may change; O(n log s) comparisons for s segments, and a second array.
   *
   * @param ends
   *   0, followed by the end of each segment
   * @return
   *   the sorted values
   */
  def merge(values: Array[Long], ends: Array[Int], order: Order): Array[Long] = {
    var (from, to) = (values, new Array[Long](values.length))
    var left = ends
    while (left.length > 2) {
      val merged = left.indices.filter(i => i % 2 == 0 || i == left.length - 1).map(left(_)).toArray
      for (i <- 0 until left.length - 1 by 2)
        mergeTwo(from, left(i), left(i + 1), left(math.min(i + 2, left.length - 1)), to, order)
      left = merged
      val other = from
      from = to
      to = other
    }
    from
  }

  private def mergeTwo(
      from: Array[Long],
      start: Int,
      middle: Int,
      end: Int,
      to: Array[Long],
      order: Order
  ): Unit = {
    var (i, j) = (start, middle)
    var at = start
    while (at < end) {
      if (j >= end || i < middle && order.compare(from(i), from(j)) <= 0) {
        to(at) = from(i)
        i += 1
      } else {
        to(at) = from(j)
        j += 1
      }
      at += 1
    }
  }
}
