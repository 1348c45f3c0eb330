package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The runs as one sequence of rows in order. The start of each bucket in this sequence is known. Rows that tie are in the order
 * of their runs, and within a run in the order in which they are read.
 *
 * Cost: O(S log R) comparisons for S buckets of R runs. Memory: eight bytes for each bucket, and twice that while they are sorted,
 * beside the indexes.
 *
 * @param indexes
 *   the indexes of the runs, by the runs' numbers
 */
final private[parallel] class Runs(indexes: Array[RunIndex], order: CutOrder) {
  import Runs._

  /** The number of rows in all runs. */
  val rows: Long = indexes.map(_.rows).sum

  /** The buckets of all runs in order, without the first bucket of each run, which may begin anywhere. */
  private[this] val buckets: Array[Long] = {
    val ends = indexes.map(run => math.max(0, run.buckets - 1)).scanLeft(0)(_ + _)
    val all = new Array[Long](ends.last)
    for (run <- indexes.indices; bucket <- 1 until indexes(run).buckets)
      all(ends(run) + bucket - 1) = encoded(run, bucket)
    val (a, b) = (newKey(), newKey())
    SortedSegments.merge(all, ends, (x, y) => order.compare(startOf(x, a), startOf(y, b)))
  }

  private def newKey(): UnsafeRow = indexes.head.newKey()

  private def startOf(bucket: Long, key: UnsafeRow): Cut = {
    val index = indexes(runOf(bucket))
    index.pointTo(key, bucketOf(bucket))
    Cut(key, key.numFields, Cut.place(runOf(bucket), index.start(bucketOf(bucket))))
  }

  /** The cut at which the `i`th of [[buckets]] begins. */
  private def startOf(i: Int): Cut = {
    val cut = startOf(buckets(i), newKey())
    cut.copy(key = cut.key.copy())
  }

  private def sizeOf(run: Int, bucket: Int): Long =
    indexes(run).start(bucket + 1) - indexes(run).start(bucket)

  /**
   * Cuts the rows into parts of about the same size. The smaller the buckets, the more exact the sizes.
   *
   * @param parts
   *   the maximum number of parts
   * @param together
   *   a number of leading columns of the key: rows with equal values in these columns stay together; none if any rows may be
   *   separated
   * @return
   *   the places between two parts, in order
   */
  def cuts(parts: Int, together: Option[Int]): Seq[Cut] = {
    val found = Vector.newBuilder[Cut]
    var last: Cut = null
    var part = 1
    // On average, half of the rows in the buckets that have begun come before the next bucket.
    var ended = 0L
    var begun = indexes.indices.map(sizeOf(_, 0)).sum
    var i = 0
    while (i < buckets.length && part < parts) {
      val (run, bucket) = (runOf(buckets(i)), bucketOf(buckets(i)))
      ended += sizeOf(run, bucket - 1)
      begun += sizeOf(run, bucket) - sizeOf(run, bucket - 1)
      val before = ended + begun / 2.0
      if (before * parts >= rows.toDouble * part) {
        val cut = together.foldLeft(startOf(i))((exact, columns) => Cut.before(exact.key, columns))
        if (last == null || order.compare(last, cut) < 0) found += cut
        last = cut
        while (before * parts >= rows.toDouble * part) part += 1
      }
      i += 1
    }
    found.result()
  }

  /** The number of a run's buckets that begin before the cut. */
  private def bucketsBefore(run: Int, cut: Cut): Int = {
    val index = indexes(run)
    val key = newKey()
    var low = if (cut == Cut.Start) 0 else math.min(1, index.buckets)
    var high = if (cut == Cut.Start) 0 else index.buckets
    while (low < high) {
      val middle = (low + high) >>> 1
      if (order.isBefore(index.pointTo(key, middle), Cut.place(run, index.start(middle)), cut))
        low = middle + 1
      else high = middle
    }
    low
  }

  /** The number of [[buckets]] that begin before the cut. */
  private def bucketsBefore(cut: Cut): Int = {
    val key = newKey()
    var low = 0
    var high = buckets.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (order.compare(startOf(buckets(middle), key), cut) < 0) low = middle + 1 else high = middle
    }
    low
  }

  /**
   * A lower bound on the number of a run's rows before a cut, given the number of the run's buckets that begin before the cut.
   * The last of these buckets may have no rows there.
   */
  private def least(run: Int, begun: Int): Long = if (begun == 0) 0L else indexes(run).start(begun - 1)

  /** A place before the cut with at least `distance` rows in between, or the start. */
  def rowsBefore(cut: Cut, distance: Long): Cut =
    if (distance == 0) cut
    else {
      val begun = indexes.indices.map(bucketsBefore(_, cut)).toArray
      val before = begun.indices.map(run => least(run, begun(run)))
      def known(run: Int) = math.max(0L, before(run) - indexes(run).start(begun(run)))
      var i = bucketsBefore(cut)
      var between = 0L
      while (i > 0 && between < distance) {
        i -= 1
        val run = runOf(buckets(i))
        between -= known(run)
        begun(run) = bucketOf(buckets(i))
        between += known(run)
      }
      if (between < distance) Cut.Start else startOf(i)
    }

  /** A place after the cut with at least `distance` rows in between, or the end. */
  def rowsAfter(cut: Cut, distance: Long): Cut =
    if (distance == 0) cut
    else {
      val begun = indexes.indices.map(bucketsBefore(_, cut)).toArray
      val most = begun.indices.map(run => indexes(run).start(begun(run)))
      def known(run: Int) = math.max(0L, least(run, begun(run)) - most(run))
      var i = bucketsBefore(cut)
      var between = 0L
      while (i < buckets.length && between < distance) {
        val run = runOf(buckets(i))
        between -= known(run)
        begun(run) = bucketOf(buckets(i)) + 1
        between += known(run)
        i += 1
      }
      if (between < distance || i == buckets.length) Cut.End else startOf(i)
    }

  /**
   * The buckets at which to begin a new read, so that rows come in order as far as cuts and ties need it. The shuffle returns
   * buckets that are read at once in any order. Buckets with a cut, and buckets that may hold the same key, are therefore read
   * separately.
   */
  private def readsOf(run: Int, from: Int, end: Int, begun: Array[Int]): Array[Int] = {
    val (a, b) = (newKey(), newKey())
    val withCuts = begun.map(_ - 1).toSet
    def mayTie(bucket: Int) =
      bucket > 1 && order.areEqual(indexes(run).pointTo(a, bucket - 1), indexes(run).pointTo(b, bucket))
    Array.range(from, end).filter { bucket =>
      bucket == from || withCuts(bucket) || withCuts(bucket - 1) || mayTie(bucket)
    }
  }

  /** The parts of the runs that hold the rows between the first and the last of the cuts. The cuts are in order. */
  def parts(cuts: Array[Cut]): Array[RunPart] = indexes.indices.map { run =>
    val begun = cuts.map(bucketsBefore(run, _))
    val from = math.max(0, begun.head - 1)
    val end = math.max(from, begun.last)
    RunPart(
      run,
      from,
      end,
      readsOf(run, from, end, begun),
      indexes(run).start(from),
      begun.map(least(run, _)),
      begun.map(indexes(run).start)
    )
  }.toArray
}

private object Runs {
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
 * @param readFrom
 *   the first bucket of each group of buckets that are read at once
 * @param firstPosition
 *   the number of the run's rows before the rows that are read
 * @param least
 *   for each cut, a lower bound on the number of the run's rows before it
 * @param most
 *   for each cut, an upper bound on the number of the run's rows before it
 */
final private[parallel] case class RunPart(
    run: Int,
    firstBucket: Int,
    endBucket: Int,
    readFrom: Array[Int],
    firstPosition: Long,
    least: Array[Long],
    most: Array[Long]
) {
  def isEmpty: Boolean = firstBucket == endBucket

  /** The number of rows that are read. */
  def rows: Long = most.lastOption.fold(0L)(_ - firstPosition)
}
