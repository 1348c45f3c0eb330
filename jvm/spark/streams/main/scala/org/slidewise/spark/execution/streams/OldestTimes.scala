package org.slidewise.spark.execution.streams

import java.nio.ByteBuffer
import java.util.TreeMap

import org.slidewise.spark.errors.CorruptState

/**
 * A multiset of times that returns its oldest time: exactly while there are few distinct times, otherwise as the start of a range
 * that contains the oldest time. Ranges do not overlap. Cost: O(log n) for each time; memory: at most [[OldestTimes.Most]] ranges.
 */
final private[streams] class OldestTimes {
  import OldestTimes._

  final private class Range(var last: Long, var count: Long)

  private[this] val ranges = new TreeMap[Long, Range]

  def add(time: Long): Unit = {
    val found = of(time)
    if (found != null) found.count += 1
    else {
      if (ranges.size == Most) mergePairs()
      // A merged range may contain the time now.
      val merged = of(time)
      if (merged != null) merged.count += 1 else ranges.put(time, new Range(time, 1L))
    }
  }

  /** Removes a time that has been added. */
  def remove(time: Long): Unit = {
    val found = of(time)
    if (found == null) throw new CorruptState(s"no key's oldest row waits since $time")
    found.count -= 1
    if (found.count == 0) ranges.remove(ranges.floorKey(time))
  }

  private def of(time: Long): Range = {
    val floor = ranges.floorEntry(time)
    if (floor != null && time <= floor.getValue.last) floor.getValue else null
  }

  /** Halves the number of ranges. */
  private def mergePairs(): Unit = {
    val entries = ranges.entrySet.iterator
    while (entries.hasNext) {
      val range = entries.next().getValue
      if (entries.hasNext) {
        val next = entries.next().getValue
        range.last = next.last
        range.count += next.count
        entries.remove()
      }
    }
  }

  /** The oldest time, or an earlier one by at most the width of a range; `Long.MaxValue` if there is none. */
  def oldest: Long = if (ranges.isEmpty) Long.MaxValue else ranges.firstKey

  def writeTo(out: StateWriter): Unit = {
    out.int(ranges.size)
    ranges.forEach { (first, range) =>
      out.long(first)
      out.long(range.last)
      out.long(range.count)
    }
  }

  def reopen(in: ByteBuffer): Unit = {
    ranges.clear()
    val size = in.getInt()
    if (size < 0 || size > Most) throw new CorruptState(s"$size ranges of waiting times")
    (0 until size).foreach { _ =>
      val (first, last, count) = (in.getLong(), in.getLong(), in.getLong())
      if (last < first || count < 1) throw new CorruptState(s"$count keys wait since $first to $last")
      ranges.put(first, new Range(last, count))
    }
  }
}

private[streams] object OldestTimes {
  val Most = 128
}
