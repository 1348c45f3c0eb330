package org.slidewise.spark.execution.parallel

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.apache.spark.util.CollectionAccumulator

import org.slidewise.spark.execution.surroundings.PartialAggregate

/**
 * The index of a run: the first row and the least key of each bucket. The first bucket has no least key; it begins with the first
 * row.
 *
 * Memory: for each bucket its key as an `UnsafeRow`, and twelve bytes. The aggregates come on top.
 *
 * @param rows
 *   the number of rows of the run
 * @param starts
 *   for each bucket, the number of rows before it
 * @param keys
 *   for each bucket, the least sort key that its rows may have; the keys are stored back to back
 * @param ends
 *   for each key, its end in `keys`
 * @param aggregates
 *   the aggregates of the rows of each bucket; none if no function needs them
 */
final private[parallel] class RunIndex(
    val rows: Long,
    starts: Array[Long],
    keys: Array[Byte],
    ends: Array[Int],
    fields: Int,
    aggregates: Option[BucketAggregates]
) extends Serializable {

  def buckets: Int = starts.length

  /** The number of rows before a bucket; [[rows]] for the bucket after the last. */
  def start(bucket: Int): Long = if (bucket < starts.length) starts(bucket) else rows

  /** Points `row` to the least key of a bucket. */
  def pointTo(row: UnsafeRow, bucket: Int): UnsafeRow = {
    val from = if (bucket == 0) 0 else ends(bucket - 1)
    row.pointTo(keys, Platform.BYTE_ARRAY_OFFSET + from.toLong, ends(bucket) - from)
    row
  }

  def newKey(): UnsafeRow = new UnsafeRow(fields)

  def hasAggregates: Boolean = aggregates.nonEmpty

  /** The aggregate of the rows of a bucket, if the index has aggregates. */
  def aggregate(bucket: Int): PartialAggregate = aggregates.get.of(bucket, start(bucket + 1) - start(bucket))
}

private[parallel] object RunIndex {

  /** The index of a run with a single bucket of unordered rows. */
  def ofOneBucket(rows: Long, aggregates: Option[BucketAggregates]): RunIndex =
    new RunIndex(rows, Array(0L), Array.emptyByteArray, Array(0), fields = 0, aggregates)

  final class Builder(fields: Int) {
    private[this] var starts = new Array[Long](16)
    private[this] var ends = new Array[Int](16)
    private[this] var keys = new Array[Byte](512)
    private[this] var count, bytes = 0

    /** Begins a bucket that has `start` rows of the run before it. */
    def add(start: Long, key: UnsafeRow): Unit = {
      if (count == starts.length) {
        starts = Arrays.copyOf(starts, 2 * count)
        ends = Arrays.copyOf(ends, 2 * count)
      }
      val size = key.getSizeInBytes
      if (bytes + size > keys.length)
        keys = Arrays.copyOf(keys, math.max(bytes + size, 2 * keys.length))
      Platform.copyMemory(
        key.getBaseObject,
        key.getBaseOffset,
        keys,
        Platform.BYTE_ARRAY_OFFSET + bytes.toLong,
        size.toLong
      )
      bytes += size
      starts(count) = start
      ends(count) = bytes
      count += 1
    }

    def result(rows: Long, aggregates: Option[BucketAggregates]): RunIndex =
      new RunIndex(
        rows,
        Arrays.copyOf(starts, count),
        Arrays.copyOf(keys, bytes),
        Arrays.copyOf(ends, count),
        fields,
        aggregates
      )
  }
}

/**
 * Brings the indexes of the runs to the driver, each with the number of its map task. A task that runs twice reports the same
 * index twice.
 */
final private[parallel] class RunIndexes(found: CollectionAccumulator[Array[Byte]]) extends Serializable {
  def add(run: Int, index: RunIndex): Unit = found.add(OwnClasses.bytesOf(run -> index))

  /** The index of each run, by the number of its map task. */
  def value: Map[Int, RunIndex] = {
    val all = Map.newBuilder[Int, RunIndex]
    found.value.forEach(bytes => all += OwnClasses.valueOf[(Int, RunIndex)](bytes))
    all.result()
  }
}
