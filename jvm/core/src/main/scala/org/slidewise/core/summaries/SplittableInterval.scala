package org.slidewise.core.summaries

import Arguments.width

/**
 * Levels of a splittable histogram for one interval of 2^L^ timestamps from j 2^L^ on: the paper's data structure D,,j,,.
 *
 * All levels whose root has not split yet, 2^i+1^ > n, are equal. Only the first of them is stored, so that there are at most
 * ⌈log,,2,, n⌉ + 1 levels, and no bound B on the count must be declared.
 */
private[summaries] final class SplittableInterval(val index: Long, log: Int, most: Int) {
  private val start = index << log
  private var levels = Array(new SplittableLevel(0, log, most), level(1, 0))

  /** The weight of all elements. */
  private[summaries] var total = 0L

  private def level(i: Int, weight: Long): SplittableLevel = {
    val made = new SplittableLevel(i, log, most)
    made.begin(weight)
    made
  }

  def depth: Int = levels.length
  def buckets: Int = levels.map(_.buckets.size).sum
  private[summaries] def all: Seq[SplittableLevel] = levels.toSeq

  /** The last timestamp of the interval. */
  def end: Long = start + (1L << log) - 1

  def insert(time: Long, value: Long): Unit = {
    if (total + value >= SplittableInterval.Greatest)
      throw new ArithmeticException(s"the sum of the values in ${1L << log} timestamps reaches 2^62")
    while (total + value >= (1L << levels.length)) levels = levels :+ level(levels.length, total)
    val offset = time - start
    var i = 0
    while (i < levels.length) {
      levels(i).insert(offset, value)
      i += 1
    }
    total += value
  }

  /** Bounds the count of the timestamps from `from` on, by the smallest level that has not discarded any (Algorithm 3). */
  def suffix(from: Long, into: Suffix): Unit = {
    val offset = from - start
    if (offset <= 0) into.set(total, total)
    else if (from > end) into.set(0, 0)
    else {
      var i = 0
      while (levels(i).discarded >= offset) i += 1
      levels(i).suffix(offset, into)
    }
  }

  /**
   * Passes elements to `emit`, newest first, that approximate the interval: the growth of the estimate at the begin of each
   * bucket, and at the last timestamp of each level. The error of their count from any timestamp on is at most 2^i^ (2 + L) / 2,
   * i the level that [[suffix]] uses.
   */
  def steps(emit: (Long, Long) => Unit): Unit = {
    val suffix = new Suffix
    var known = 0L
    var until = end - start + 1
    def grow(at: Long): Unit = {
      val count = (suffix.least + suffix.most) / 2
      if (count > known) {
        emit(start + at, count - known)
        known = count
      }
    }
    for (level <- levels if until > level.discarded + 1) {
      if (level.level > 0 && until > 1) { // the part of a bucket that extends beyond the end of the previous level
        level.suffix(until - 1, suffix)
        grow(until - 1)
      }
      var weight = 0L
      var i = level.buckets.size - 1
      while (i >= 0) {
        val at = level.buckets.start(i)
        weight += level.buckets.weight(i)
        if (at < until) {
          if (at == 0) suffix.set(total, total) else level.between(at, weight, suffix)
          grow(at)
        }
        i -= 1
      }
      until = level.discarded + 1
    }
  }

  def write(out: BitWriter): Unit = {
    out.write(total, 64)
    out.write(levels.length.toLong, 6)
    levels.foreach(_.write(out))
  }

  def read(in: BitReader): Unit = {
    total = in.read(64)
    Format.check(total > 0 && total < SplittableInterval.Greatest)
    Format.check(in.read(6) == math.max(2, width(total)))
    levels = Array.tabulate(math.max(2, width(total)))(i => new SplittableLevel(i, log, most))
    levels.foreach(_.read(in, total))
    Format.check(levels.last.isWhole)
  }
}

private[summaries] object SplittableInterval {

  final val Greatest = 1L << 62

  /** L: the number of timestamps of an interval is the smallest power of two from W on. */
  def log(maxWidth: Long): Int = width(maxWidth - 1)

  /** α = ⌈(1 + L)(2 + ε) / ε⌉, the greatest number of buckets of a level. */
  def most(maxWidth: Long, epsilon: Double): Int =
    math.ceil((1 + log(maxWidth)) * (2 + epsilon) / epsilon).toInt
}
