package org.slidewise.core.summaries

/** Unsorted buffer of up to 512 elements, which a summary sorts by time and adds in one batch. */
private[summaries] final class ArrivalBuffer {
  private[this] var times = new Array[Long](8)
  private[this] var values = new Array[Long](8)
  private[this] var used = 0

  def size: Int = used
  def isFull: Boolean = used == ArrivalBuffer.Most

  def add(time: Long, value: Long): Unit =
    if (used > 0 && times(used - 1) == time) values(used - 1) = Math.addExact(values(used - 1), value)
    else {
      if (used == times.length) {
        times = java.util.Arrays.copyOf(times, 2 * used)
        values = java.util.Arrays.copyOf(values, 2 * used)
      }
      times(used) = time
      values(used) = value
      used += 1
    }

  /** Moves the elements to `nodes`, sorted and as ranges of one timestamp. */
  def drainTo(nodes: DyadicNodes): Unit = {
    sort()
    nodes.clear()
    var i = used - 1
    while (i >= 0) {
      val time = times(i)
      var count = 0L
      while (i >= 0 && times(i) == time) {
        count = Math.addExact(count, values(i))
        i -= 1
      }
      nodes.add(time, 0, count)
    }
    used = 0
  }

  /** Shellsort: in place, and fast if the elements are nearly in order. */
  private def sort(): Unit = {
    var g = 0
    while (g < ArrivalBuffer.Gaps.length) {
      val gap = ArrivalBuffer.Gaps(g)
      var i = gap
      while (i < used) {
        val time = times(i)
        val value = values(i)
        var j = i
        while (j >= gap && times(j - gap) > time) {
          times(j) = times(j - gap)
          values(j) = values(j - gap)
          j -= gap
        }
        times(j) = time
        values(j) = value
        i += 1
      }
      g += 1
    }
  }
}

private[summaries] object ArrivalBuffer {
  final val Most = 512
  private val Gaps = Array(301, 132, 57, 23, 10, 4, 1)
}
