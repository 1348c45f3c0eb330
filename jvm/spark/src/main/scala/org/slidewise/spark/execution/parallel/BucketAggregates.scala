package org.slidewise.spark.execution.parallel

import org.slidewise.spark.execution.surroundings._

/**
 * The aggregates of the buckets of a run, computed while the run is written. Memory: the bytes of the aggregates, and four bytes
 * for each bucket.
 *
 * @param states
 *   the aggregation buffers, bucket after bucket
 * @param ends
 *   for each bucket, the end of its buffers in `states`
 * @param failed
 *   whether aggregating failed
 */
final private[parallel] class BucketAggregates(states: Array[Byte], ends: Array[Int], failed: Boolean)
    extends Serializable {

  def bytes: Int = states.length

  /**
   * The aggregate of a bucket.
   *
   * @param rows
   *   the number of rows of the bucket
   */
  def of(bucket: Int, rows: Long): PartialAggregate = {
    val from = if (bucket == 0) 0 else ends(bucket - 1)
    val bytes = if (from == ends(bucket)) null else java.util.Arrays.copyOfRange(states, from, ends(bucket))
    PartialAggregate(rows, peerGroups = 0L, bytes, failed)
  }
}

private[parallel] object BucketAggregates {

  /** The aggregates of the rows that were added to each bucket's builder. */
  def of(builders: Array[PartialAggregator]): BucketAggregates = {
    val found = builders.map(_.result())
    val states = found.map(one => if (one.states == null) Array.emptyByteArray else one.states)
    new BucketAggregates(states.flatten, states.scanLeft(0)(_ + _.length).tail, found.exists(_.failed))
  }
}

/** Computes the aggregates of the buckets around ranges, on the driver. */
final private[parallel] class BucketTotals(indexes: Array[RunIndex], functions: SurroundingFunctions) {

  /** The aggregate of all rows. */
  lazy val all: PartialAggregate = {
    val total = functions.merger()
    for (index <- indexes; bucket <- 0 until index.buckets) total.add(index.aggregate(bucket))
    total.result()
  }

  /**
   * For each range, the aggregates of the buckets before and after the buckets that the range reads. Each bucket is added once
   * for each side, provided that no range begins or ends before the previous range does.
   *
   * @param ranges
   *   the ranges in order, a part for each run
   */
  def around(ranges: IndexedSeq[Array[RunPart]]): Array[SurroundingRows] = {
    val before = sides(ranges.map(_.map(_.firstBucket)), Array.fill(indexes.length)(0))
    val after = sides(ranges.reverse.map(_.map(_.endBucket)), indexes.map(_.buckets)).reverse
    before.zip(after).map { case (b, a) => SurroundingRows(b, a) }
  }

  /** For each range, the aggregate of the buckets between `start` and the range's own buckets. */
  private def sides(own: IndexedSeq[Array[Int]], start: Array[Int]): Array[PartialAggregate] = {
    // Buckets that no later range reads are added to the common total, other buckets to the total of one range.
    val common = own.reverse
      .scanLeft(Option.empty[Array[Int]])((next, ends) =>
        Some(next.fold(ends)(_.zip(ends).zip(start).map { case ((a, b), s) => nearer(a, b, s) }))
      )
      .tail
      .reverse
      .map(_.get)
    val total = functions.merger()
    var added = start
    own
      .zip(common)
      .map { case (ends, until) =>
        add(total, added, until)
        added = until
        val result = total.result()
        if (ends.sameElements(until)) result
        else {
          val ofRange = functions.merger().add(result)
          add(ofRange, until, ends)
          ofRange.result()
        }
      }
      .toArray
  }

  private def nearer(a: Int, b: Int, start: Int): Int =
    if (math.abs(a - start) < math.abs(b - start)) a else b

  private def add(total: PartialAggregateMerger, from: Array[Int], to: Array[Int]): Unit =
    for {
      run <- indexes.indices
      bucket <- math.min(from(run), to(run)) until math.max(from(run), to(run))
    } total.add(indexes(run).aggregate(bucket))
}
