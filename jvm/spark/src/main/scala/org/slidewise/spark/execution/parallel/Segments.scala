package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import org.slidewise.spark.execution.surroundings.{
  PartialAggregate,
  PartialAggregator,
  SurroundingFunctions,
  SurroundingRows
}

/**
 * The rows between two neighbouring cuts: aggregates of their first and last partition.
 *
 * @param last
 *   the last partition; equal to `first` if there is only one
 * @param isOnePartition
 *   whether there is only one partition
 */
final private[parallel] case class Segment(first: PartitionPart, last: PartitionPart, isOnePartition: Boolean)

/**
 * The rows of one partition in a segment.
 *
 * @param key
 *   the partition key
 */
final private[parallel] case class PartitionPart(key: UnsafeRow, aggregate: PartialAggregate)

/**
 * Aggregates the rows of a segment. The rows come in any order if there is only one partition, and otherwise partition by
 * partition.
 */
final private[parallel] class SegmentBuilder(functions: SurroundingFunctions) {
  private[this] var first: PartitionPart = _
  private[this] var key: UnsafeRow = _
  private[this] var current: PartialAggregator = _

  def add(row: UnsafeRow, partition: UnsafeRow): Unit = {
    if (key == null || (key ne partition) && key != partition) {
      close()
      key = if (partition.numFields == 0) partition else partition.copy()
      current = functions.aggregator()
    }
    current.add(row)
  }

  private def close(): Unit = if (key != null && first == null) first = PartitionPart(key, current.result())

  /** The segment; none if there are no rows. */
  def result(): Option[Segment] =
    if (key == null) None
    else {
      val last = PartitionPart(key, current.result())
      Some(Segment(Option(first).getOrElse(last), last, first == null))
    }
}

/**
 * The surroundings of ranges of consecutive segments, found by one scan from either side.
 *
 * @param segments
 *   the segments in order; none for a segment without rows
 */
final private[parallel] class SegmentScan(segments: Array[Option[Segment]], functions: SurroundingFunctions) {

  /**
   * For each segment, the aggregate of the rows before it in the partition of its first row. For a segment without rows, the
   * aggregate is the one for the next row.
   */
  private[this] val before: Array[PartialAggregate] = {
    val nextKeys = segments.scanRight(Option.empty[UnsafeRow])((s, later) => s.map(_.first.key).orElse(later))
    val found = Array.fill(segments.length + 1)(PartialAggregate.None)
    var open: PartitionPart = null
    for (i <- segments.indices) {
      found(i) = aggregate(open, nextKeys(i))
      segments(i).foreach { segment =>
        open =
          if (segment.isOnePartition) segment.first.copy(aggregate = join(found(i), segment.first.aggregate))
          else segment.last
      }
    }
    found
  }

  /** For each segment, the aggregate of its rows and all later rows in the partition of the last row before the segment. */
  private[this] val after: Array[PartialAggregate] = {
    val previousKeys =
      segments.scanLeft(Option.empty[UnsafeRow])((earlier, s) => s.map(_.last.key).orElse(earlier))
    val found = Array.fill(segments.length + 1)(PartialAggregate.None)
    var open: PartitionPart = null
    for (i <- segments.indices.reverse) {
      segments(i).foreach { segment =>
        open =
          if (segment.isOnePartition)
            segment.last
              .copy(aggregate = join(segment.last.aggregate, aggregate(open, Some(segment.last.key))))
          else segment.first
      }
      found(i) = aggregate(open, previousKeys(i))
    }
    found
  }

  private def join(older: PartialAggregate, newer: PartialAggregate): PartialAggregate =
    if (older.isEmpty) newer else if (newer.isEmpty) older else functions.combine(older, newer)

  private def aggregate(part: PartitionPart, key: Option[UnsafeRow]): PartialAggregate =
    if (part != null && key.contains(part.key)) part.aggregate else PartialAggregate.None

  /** The surroundings of the segments `from until until`. */
  def around(from: Int, until: Int): SurroundingRows = SurroundingRows(before(from), after(until))

  /** Whether a partition of these segments must be evaluated in one task. */
  def mustBeOneTask: Boolean = segments.indices.exists { i =>
    segments(i).exists { segment =>
      val withBefore = join(before(i), segment.first.aggregate)
      functions.mustBeOneTask(if (segment.isOnePartition) join(withBefore, after(i + 1)) else withBefore)
    }
  }
}
