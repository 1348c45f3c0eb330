package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Sorted runs as one sequence of rows in order, of which the first row of each bucket is known. Rows that tie are in the order of
 * their runs.
 *
 * Cost: O(S log S) comparisons for S buckets. Memory: eight bytes for each, beside the indexes.
 *
 * @param indexes
 *   of the runs, by their numbers
 */
final private[parallel] class SortedRuns(indexes: Array[RunIndex], order: CutOrder) {
  import SortedRuns._

  /** The number of rows in all runs. */
  val rows: Long = indexes.map(_.rows).sum

  /** The buckets of all runs by their first rows. */
  private[this] val buckets: Array[Long] = {
    val all = for (run <- indexes.indices; bucket <- 0 until indexes(run).buckets) yield encoded(run, bucket)
    val boxed = all.map(Long.box).toArray
    val (a, b) = (newKey(), newKey())
    java.util.Arrays.sort(
      boxed,
      (x: java.lang.Long, y: java.lang.Long) =>
        order.compare(cutAt(x, a), cutAt(y, b))
    )
    boxed.map(_.longValue)
  }

  private def newKey(): UnsafeRow = indexes.head.newKey()

  private def cutAt(bucket: Long, key: UnsafeRow): Cut = {
    val index = indexes(runOf(bucket))
    index.pointTo(key, bucketOf(bucket))
    Cut(key, key.numFields, Cut.place(runOf(bucket), index.start(bucketOf(bucket))))
  }

  /** Just before the first row of the `i`th bucket. */
  private def cutBefore(i: Int): Cut = {
    val cut = cutAt(buckets(i), newKey())
    cut.copy(key = cut.key.copy())
  }

  /**
   * Cuts the rows into parts of about the same size, as exact as the buckets are small.
   *
   * @param parts
   *   at most how many
   * @param together
   *   rows that have this many columns of the key in common stay together; none if any rows may be parted
   * @return
   *   the places between two parts, in order
   */
  def cuts(parts: Int, together: Option[Int]): Seq[Cut] = {
    val found = Vector.newBuilder[Cut]
    var last: Cut = null
    var i, part = 1
    var before = sizeOf(buckets.headOption)
    while (i < buckets.length && part < parts) {
      // Half of the buckets that have begun is, on average, still to come.
      if (before * parts >= rows * part) {
        val cut = together.foldLeft(cutBefore(i))((exact, columns) => Cut.before(exact.key, columns))
        if (last == null || order.compare(last, cut) < 0) found += cut
        last = cut
        while (before * parts >= rows * part) part += 1
      }
      before += sizeOf(Some(buckets(i)))
      i += 1
    }
    found.result()
  }

  private def sizeOf(bucket: Option[Long]): Double = bucket.fold(0.0) { b =>
    val index = indexes(runOf(b))
    (index.start(bucketOf(b) + 1) - index.start(bucketOf(b))).toDouble
  }

  /** How many of a run's buckets begin before the cut. */
  private def bucketsBefore(run: Int, cut: Cut): Int = {
    val index = indexes(run)
    val key = newKey()
    var low = 0
    var high = index.buckets
    while (low < high) {
      val middle = (low + high) >>> 1
      if (order.isBefore(index.pointTo(key, middle), Cut.place(run, index.start(middle)), cut)) low = middle + 1
      else high = middle
    }
    low
  }

  /** How many buckets of all runs begin before the cut. */
  private def bucketsBefore(cut: Cut): Int = {
    val key = newKey()
    var low = 0
    var high = buckets.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (order.compare(cutAt(buckets(middle), key), cut) < 0) low = middle + 1 else high = middle
    }
    low
  }

  /** A place with at least `distance` rows between it and the cut, or the start. */
  def rowsBefore(cut: Cut, distance: Long): Cut =
    if (distance == 0) cut
    else {
      val begun = indexes.indices.map(bucketsBefore(_, cut)).toArray
      // The last bucket that has begun may have no more than its first row before the cut.
      val least = begun.indices.map(run => if (begun(run) == 0) 0L else indexes(run).start(begun(run) - 1) + 1)
      var i = bucketsBefore(cut)
      var between = 0L
      while (i > 0 && between < distance) {
        i -= 1
        val run = runOf(buckets(i))
        def known = math.max(0L, least(run) - indexes(run).start(begun(run)))
        between -= known
        begun(run) = bucketOf(buckets(i))
        between += known
      }
      if (between < distance) Cut.Start else cutBefore(i)
    }

  /** A place with at least `distance` rows between the cut and it, or the end. */
  def rowsAfter(cut: Cut, distance: Long): Cut =
    if (distance == 0) cut
    else {
      val begun = indexes.indices.map(bucketsBefore(_, cut)).toArray
      val most = begun.indices.map(run => indexes(run).start(begun(run)))
      var i = bucketsBefore(cut)
      var between = 0L
      while (i < buckets.length && between < distance) {
        val run = runOf(buckets(i))
        def known = if (begun(run) == 0) 0L else math.max(0L, indexes(run).start(begun(run) - 1) + 1 - most(run))
        between -= known
        begun(run) = bucketOf(buckets(i)) + 1
        between += known
        i += 1
      }
      if (between < distance || i == buckets.length) Cut.End else cutBefore(i)
    }

  /** Where to read the rows between the first and the last of the cuts, which are in order. */
  def parts(cuts: Array[Cut]): Array[RunPart] = indexes.indices.map { run =>
    val index = indexes(run)
    val begun = cuts.map(bucketsBefore(run, _))
    val from = math.max(0, begun.head - 1)
    RunPart(
      run,
      from,
      math.max(from, begun.last),
      index.start(from),
      begun.map(b => if (b == 0) 0L else index.start(b - 1) + 1),
      begun.map(index.start)
    )
  }.toArray
}

private object SortedRuns {
  private def encoded(run: Int, bucket: Int): Long = (run.toLong << 32) | bucket
  private def runOf(bucket: Long): Int = (bucket >>> 32).toInt
  private def bucketOf(bucket: Long): Int = bucket.toInt
}

/**
 * The buckets of a run that hold its rows between some cuts.
 *
 * @param firstBucket
 *   the first to read
 * @param endBucket
 *   the first not to read
 * @param firstPosition
 *   the number of the run's rows before those that are read
 * @param least
 *   for each cut, the least number of the run's rows that can be before it
 * @param most
 *   the greatest
 */
final private[parallel] case class RunPart(
    run: Int,
    firstBucket: Int,
    endBucket: Int,
    firstPosition: Long,
    least: Array[Long],
    most: Array[Long]
) {
  def isEmpty: Boolean = firstBucket == endBucket

  /** At most how many rows are read. */
  def rows: Long = most.lastOption.fold(0L)(_ - firstPosition)
}
