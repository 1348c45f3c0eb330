package org.slidewise.core.kernels

import java.lang.Long.numberOfTrailingZeros

import org.slidewise.core.batch.Frames

/**
 * The groups of rows of one partition that tie in its order, called peers. Computes the values that follow from them alone:
 * ranks, and frames that end with the current row's peers.
 *
 * All methods take one pass over the rows and combine nothing. `out` must hold `size` results.
 *
 * The rows may be a part of a partition. Ranks then take the number of rows or of groups before the first row, and the number of
 * rows in the whole partition. No group may continue outside of the rows.
 *
 * @param starts
 *   bit `i % 64` of word `i / 64` is set if row `i` is the first of a group; the bit of row 0 does not matter
 * @param size
 *   the number of rows
 */
final class PeerGroups(starts: Array[Long], size: Int) {

  /** The first row of the next group after `row`; `size` if there is none. */
  private def next(row: Int): Int = {
    var word = row + 1 >>> 6
    val words = Validity.words(size)
    if (row + 1 >= size) size
    else {
      var bits = starts(word) & (-1L << (row + 1))
      while (bits == 0L && word + 1 < words) {
        word += 1
        bits = starts(word)
      }
      if (bits == 0L) size else math.min(size, (word << 6) + numberOfTrailingZeros(bits))
    }
  }

  /** SQL's `rank()`: one more than the number of rows before the row's group. */
  def ranks(out: Array[Long]): Unit = ranks(0L, out)

  /** SQL's `rank()`, if `before` rows of the partition come before row 0. */
  def ranks(before: Long, out: Array[Long]): Unit =
    eachGroup((from, until, _) => java.util.Arrays.fill(out, from, until, before + from + 1L))

  /** SQL's `dense_rank()`: the number of the row's group, from 1 on. */
  def denseRanks(out: Array[Long]): Unit = denseRanks(0L, out)

  /** SQL's `dense_rank()`, if `groupsBefore` groups of the partition come before row 0. */
  def denseRanks(groupsBefore: Long, out: Array[Long]): Unit =
    eachGroup((from, until, group) => java.util.Arrays.fill(out, from, until, groupsBefore + group + 1L))

  /** SQL's `percent_rank()`: the number of rows before the row's group as a share of all other rows; 0 for a row alone. */
  def percentRanks(out: Array[Double]): Unit = percentRanks(0L, size.toLong, out)

  /** SQL's `percent_rank()`, if the partition has `total` rows and `before` of these come before row 0. */
  def percentRanks(before: Long, total: Long, out: Array[Double]): Unit = eachGroup { (from, until, _) =>
    val share = if (total > 1L) (before + from).toDouble / (total - 1L).toDouble else 0.0
    java.util.Arrays.fill(out, from, until, share)
  }

  /** SQL's `cume_dist()`: the number of rows up to the end of the row's group as a share of all rows. */
  def cumulativeDistribution(out: Array[Double]): Unit = cumulativeDistribution(0L, size.toLong, out)

  /** SQL's `cume_dist()`, if the partition has `total` rows and `before` of these come before row 0. */
  def cumulativeDistribution(before: Long, total: Long, out: Array[Double]): Unit =
    eachGroup { (from, until, _) =>
      java.util.Arrays.fill(out, from, until, (before + until).toDouble / total.toDouble)
    }

  /**
   * For each row the window from the first row of its group, or of the partition, to the last row of its group, or of the
   * partition. Memory: two `Int` a row.
   */
  def frames(fromFirstRow: Boolean, toLastRow: Boolean): Frames = {
    val lo = new Array[Int](size)
    val hi = new Array[Int](size)
    eachGroup { (from, until, _) =>
      java.util.Arrays.fill(lo, from, until, if (fromFirstRow) 0 else from)
      java.util.Arrays.fill(hi, from, until, if (toLastRow) size else until)
    }
    Frames.of(lo, hi, size, size)
  }

  private def eachGroup(group: PeerGroups.Group): Unit = {
    var from = 0
    var number = 0
    while (from < size) {
      val until = next(from)
      group(from, until, number)
      from = until
      number += 1
    }
  }
}

object PeerGroups {

  /** Receives the group with the number `number`, counted from 0. Its rows are `from until until`. */
  private trait Group {
    def apply(from: Int, until: Int, number: Int): Unit
  }

  /** SQL's `row_number()`. */
  def rowNumbers(size: Int, out: Array[Long]): Unit = rowNumbers(size, 0L, out)

  /** SQL's `row_number()`, if `before` rows of the partition come before row 0. */
  def rowNumbers(size: Int, before: Long, out: Array[Long]): Unit = {
    var i = 0
    while (i < size) {
      out(i) = before + i + 1L
      i += 1
    }
  }

  /**
   * SQL's `ntile(buckets)`: the number of each row's bucket, from 1 on. The first buckets have one row more where the rows
   * cannot be divided evenly.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `buckets` is less than 1
   */
  def tiles(size: Int, buckets: Int, out: Array[Long]): Unit = tiles(size, 0L, size.toLong, buckets, out)

  /**
   * SQL's `ntile(buckets)`, if the partition has `total` rows and `before` of these come before row 0.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `buckets` is less than 1
   */
  def tiles(size: Int, before: Long, total: Long, buckets: Int, out: Array[Long]): Unit = {
    require(buckets >= 1, s"buckets must be 1 or more, but is $buckets")
    val least = total / buckets
    val larger = total % buckets
    val inLarger = larger * (least + 1L)
    var bucket =
      if (before < inLarger || least == 0L) before / (least + 1L) else larger + (before - inLarger) / least
    var from = 0
    while (from < size) {
      val end = (bucket + 1L) * least + math.min(bucket + 1L, larger)
      val until = math.min(size.toLong, end - before).toInt
      java.util.Arrays.fill(out, from, until, bucket + 1L)
      from = until
      bucket += 1L
    }
  }
}
