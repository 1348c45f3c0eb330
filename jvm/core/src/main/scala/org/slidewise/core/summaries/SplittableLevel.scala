package org.slidewise.core.summaries

import Arguments.width

/** Lower and upper bound of the count from some timestamp on. */
private[summaries] final class Suffix {
  var least = 0L
  var most = 0L

  def set(least: Long, most: Long): Unit = {
    this.least = least
    this.most = most
  }
}

/**
 * Histogram S,,i,, of a splittable histogram: the newest `most` leaves of a binary tree over the timestamps 0 … 2^L^ - 1. A
 * bucket of more than one timestamp whose weight reaches 2^i+1^ is split into two halves of 2^i^ each. Level 0 holds the newest
 * timestamps with their exact weights, in buckets that cannot split.
 *
 * '''Bounds.''' An inner node received 2^i^ elements itself after its parent had split (the root 2^i+1^), and a leaf of weight w
 * received w - 2^i^, since each child starts with 2^i^. The timestamp of an element is in the node that received it. The number
 * of elements from t on is at least the number that nodes entirely from t on received. It is at most that number and the
 * elements of the nodes around the boundary, one for each depth: at most 2^i^ (1 + L) in total. The leaves from t on form (1 + the
 * left turns) subtrees, and weigh 2^i^ too much for each, since a subtree has one inner node less than leaves. The paper's
 * estimate is their weight, within 2^i^ (1 + L) of the true value (Lemma 1). The centre of the bounds is within half of that.
 *
 * Invariants, between calls:
 *   - (B1) the buckets of level i > 0 cover `discarded + 1`, …, 2^L^ - 1 without gap, each a dyadic range;
 *   - (B2) of more than one timestamp, a bucket weighs less than 2^i+1^; of any number less than 2^L^, at least 2^i^;
 *   - (B3) there are at most `most` buckets.
 *
 * @see
 *   Busch, Tirthapura, "A Deterministic Algorithm for Summarizing Asynchronous Streams over a Sliding Window", sections 2 and 3
 */
private[summaries] final class SplittableLevel(val level: Int, log: Int, most: Int) {
  private[summaries] val buckets = new Buckets
  private val full = 1L << (level + 1)
  private val half = 1L << level

  /** T,,i,,: the newest discarded timestamp. */
  private[summaries] var discarded = -1L

  /** One bucket for all timestamps. */
  def begin(weight: Long): Unit = buckets.insert(0, 0, weight)

  /** Adds `value` elements at `time` in batches, with the result of single insertions (Algorithm 4, Theorem 3). */
  def insert(time: Long, value: Long): Unit =
    if (time > discarded) {
      val i = buckets.find(time)
      if (level == 0) {
        if (i >= 0 && buckets.start(i) == time) buckets.addWeight(i, value)
        else {
          buckets.insert(i + 1, time, value)
          discardOldest()
        }
      } else if (buckets.weight(i) + value < full) buckets.addWeight(i, value)
      else split(i, time, value)
    }

  private def split(bucket: Int, time: Long, value: Long): Unit = {
    var i = bucket
    var rest = value
    while (rest > 0) {
      val size = end(i) - buckets.start(i)
      if (size == 1 || buckets.weight(i) + rest < full) {
        buckets.addWeight(i, rest)
        rest = 0
      } else {
        rest -= full - buckets.weight(i)
        val middle = buckets.start(i) + size / 2
        buckets.setWeight(i, half)
        buckets.insert(i + 1, middle, half)
        if (time >= middle) i += 1
      }
    }
    discardOldest()
  }

  /** The timestamp after the bucket's last one. */
  private def end(i: Int): Long = if (i + 1 < buckets.size) buckets.start(i + 1) else 1L << log

  private def discardOldest(): Unit =
    if (buckets.size > most) {
      val excess = buckets.size - most
      discarded = if (level == 0) buckets.start(excess - 1) else buckets.start(excess) - 1
      buckets.dropOldest(excess)
    }

  /** Bounds the count of the timestamps from `from` on. `from` must be after `discarded` and not 0. */
  def suffix(from: Long, into: Suffix): Unit = {
    val first = buckets.find(from - 1) + 1
    var weight = 0L
    var i = buckets.size - 1
    while (i >= first) {
      weight += buckets.weight(i)
      i -= 1
    }
    if (level == 0) into.set(weight, weight)
    else if (first > 0 && end(first - 1) > from) within(first - 1, weight, into)
    else between(from, weight, into)
  }

  /** Bounds for a boundary within a bucket; `weight` is the weight of the leaves after the boundary. */
  private def within(bucket: Int, weight: Long, into: Suffix): Unit = {
    val k = width(end(bucket) - buckets.start(bucket)) - 1
    val depth = log - k
    val leftTurns = depth - java.lang.Long.bitCount(buckets.start(bucket) >> k)
    val own = buckets.weight(bucket) - (if (depth > 0) half else 0)
    into.set(weight - half * leftTurns, weight - half * leftTurns + aroundBy(depth) + own)
  }

  /** Bounds for the boundary `from` between two leaves; `weight` is the weight of the leaves after the boundary. */
  private[summaries] def between(from: Long, weight: Long, into: Suffix): Unit =
    if (level == 0) into.set(weight, weight)
    else {
      val k = java.lang.Long.numberOfTrailingZeros(from) + 1
      val turns = log - k
      val leftTurns = turns - java.lang.Long.bitCount(from >> k)
      into.set(weight - half * (1 + leftTurns), weight - half * (1 + leftTurns) + aroundBy(turns + 1))
    }

  /** The elements that inner nodes of the first `depth` depths received, one node of each. */
  private def aroundBy(depth: Int): Long = if (depth > 0) half * (depth + 1) else 0

  private def indexWidth = width(most.toLong)

  /**
   * The number of elements that a bucket received itself, without the elements from its parent; in level 0, one less than its
   * weight.
   */
  private def stored(i: Int): Long = if (level == 0) buckets.weight(i) - 1 else buckets.weight(i) - base(i)
  private def base(i: Int): Long = if (buckets.start(i) == 0 && end(i) == 1L << log) 0 else half

  def write(out: BitWriter): Unit = {
    val greatest = (0 until buckets.size).map(stored).foldLeft(0L)(math.max)
    out.write(discarded + 1, log + 1)
    out.write(buckets.size.toLong, indexWidth)
    out.write(width(greatest).toLong, 6)
    for (i <- 0 until buckets.size) {
      if (level == 0) out.write(buckets.start(i), log)
      else out.write(width(end(i) - buckets.start(i)).toLong - 1, width(log.toLong))
      out.write(stored(i), width(greatest))
    }
  }

  /** Whether the root has not split. */
  def isWhole: Boolean = buckets.size == 1 && discarded == -1

  /** Reads a level of elements that weigh `total`. */
  def read(in: BitReader, total: Long): Unit = {
    discarded = in.read(log + 1) - 1
    val size = in.read(indexWidth).toInt
    val weightWidth = in.read(6).toInt
    Format.check(size <= most && size <= (1L << log) && discarded < (1L << log) - 1)
    // Each inner node among the leaves has received `half` elements.
    var received = if (level == 0 || size == 0) 0L else Math.multiplyExact(half, size - 1L)
    var start = discarded + 1
    for (i <- 0 until size) {
      val k = if (level == 0) 0 else in.read(width(log.toLong)).toInt
      if (level == 0) {
        val least = start
        start = in.read(log)
        Format.check(start >= least)
      }
      Format.check(k <= log && (start & ((1L << k) - 1)) == 0 && start + (1L << k) <= (1L << log))
      val own = in.read(weightWidth)
      Format.check(own >= 0 && (k == 0 || own < (if (k == log) full else half)))
      received = Math.addExact(received, if (level == 0) own + 1 else own)
      buckets.insert(i, start, own + (if (level == 0) 1 else if (k == log) 0 else half))
      start += 1L << k
    }
    Format.check(received <= total && (level == 0 || start == 1L << log))
  }
}
