package org.slidewise.core.summaries

/**
 * List of counts of dyadic ranges of timestamps: each range is [end - 2^k^ + 1, end], where 2^k^ divides end + 1.
 *
 * In pre-order of the binary tree, the right child first: by decreasing `end`, and by decreasing k for equal ends.
 */
private[summaries] final class DyadicNodes {
  private[this] var allEnds = new Array[Long](8)
  private[this] var allLogs = new Array[Byte](8)
  private[this] var allCounts = new Array[Long](8)
  private[this] var used = 0

  def size: Int = used
  def end(i: Int): Long = allEnds(i)
  def log(i: Int): Int = allLogs(i).toInt
  def count(i: Int): Long = allCounts(i)
  def start(i: Int): Long = allEnds(i) - (1L << allLogs(i)) + 1

  def clear(): Unit = used = 0

  def add(end: Long, log: Int, count: Long): Unit = {
    if (used == allEnds.length) grow()
    allEnds(used) = end
    allLogs(used) = log.toByte
    allCounts(used) = count
    used += 1
  }

  private def grow(): Unit = {
    allEnds = java.util.Arrays.copyOf(allEnds, 2 * used)
    allLogs = java.util.Arrays.copyOf(allLogs, 2 * used)
    allCounts = java.util.Arrays.copyOf(allCounts, 2 * used)
  }

  /** Replaces the contents by the union of `a` and `b`, adding counts of equal ranges, without ranges that end before `oldest`. */
  def union(a: DyadicNodes, b: DyadicNodes, oldest: Long): Unit = {
    clear()
    var (i, j) = (0, 0)
    while (i < a.size || j < b.size) {
      val order = if (i == a.size) 1 else if (j == b.size) -1 else DyadicNodes.compare(a, i, b, j)
      val (end, log) = if (order <= 0) (a.end(i), a.log(i)) else (b.end(j), b.log(j))
      var count = 0L
      if (order <= 0) {
        count += a.count(i)
        i += 1
      }
      if (order >= 0) {
        count = Math.addExact(count, b.count(j))
        j += 1
      }
      if (end >= oldest) add(end, log, count)
    }
  }

  /** The first node from `from` until `until` that ends before `time`. */
  def firstBefore(time: Long, from: Int, until: Int): Int = {
    var (low, high) = (from, until)
    while (low < high) {
      val middle = (low + high) >>> 1
      if (allEnds(middle) < time) high = middle else low = middle + 1
    }
    low
  }
}

private[summaries] object DyadicNodes {
  private def compare(a: DyadicNodes, i: Int, b: DyadicNodes, j: Int): Int =
    if (a.end(i) != b.end(j)) java.lang.Long.compare(b.end(j), a.end(i))
    else b.log(j) - a.log(i)
}
