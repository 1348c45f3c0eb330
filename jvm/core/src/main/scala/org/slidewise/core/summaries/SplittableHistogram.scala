package org.slidewise.core.summaries

import org.slidewise.core.Evolving

/**
 * Splittable histogram of Busch and Tirthapura: counts and sums over any window of timestamps, from elements in any order,
 * within a relative error of ε. Mergeable, unlike the paper's. [[DyadicDigest]] needs less space and time.
 *
 * '''Method.''' Time is divided into intervals of 2^L^ ≥ W timestamps, so that a window intersects at most two. Each interval has
 * histograms S,,0,,, S,,1,,, … ([[SplittableLevel]]) of its newest α = ⌈(1 + L)(2 + ε) / ε⌉ buckets or fewer, S,,i,, with a
 * granularity of about 2^i^ elements. Each element is added to all of them. A query uses the finest one that still covers the
 * window.
 *
 * '''Error''' without merging: below ε / 2. Let a query for the timestamps from t on use level i. If i = 0, the result is exact.
 * Otherwise level i - 1 has discarded timestamps from t on. Its α leaves have at least 2^i-1^ elements each, and are in at most L
 * subtrees right of the boundary, so that there are at least (α - L) 2^i-1^ elements. The estimate is the centre of the bounds of
 * level i, with an error of at most 2^i^ (1 + L) / 2, and (1 + L) / (α - L) < ε / 2 by the choice of α. (The paper's estimate is
 * the weight of the leaves, with an error of 2^i^ (1 + L) that needs all of ε.)
 *
 * '''Merging''' uses the other half of ε. [[SplittableInterval.steps]] converts `other` to a list of elements. Their count from
 * any timestamp on is within ε,,1,, = (2 + L) / (α - L) of the true count, by the proof above with half a bucket more. They are
 * added to a [[DyadicDigest]] `merged` with ε,,2,, = (ε - ε,,1,,) / (1 + ε,,1,,), together with `other`'s own `merged`, which adds
 * no error. Each element moves from a histogram to a digest once, for any tree of merges. The total error is at most
 * ε,,1,, + ε,,2,, (1 + ε,,1,,) = ε.
 *
 * '''Size:''' two intervals, ⌈log,,2,, B⌉ + 1 levels, α buckets a level, and ⌈log,,2,,(L + 1)⌉ and at most i stored bits a
 * bucket: O(log W log B (log W + log B) / ε) bits (Theorems 2 and 4). '''Cost:''' insert O(log B log α) amortised: a binary
 * search in each level, and a split moves up to α buckets but happens once in 2^i^ elements. A value of v takes at most L steps a
 * level, not v insertions. Query O(log B + α). Not safe for concurrent use.
 *
 * Invariants, between calls: (B1) to (B3) of [[SplittableLevel]], and
 *   - (I1) each element that was not late and whose interval is still stored is in each level, or not after its `discarded`.
 *
 * @see
 *   Busch, Tirthapura, "A Deterministic Algorithm for Summarizing Asynchronous Streams over a Sliding Window"
 */
@Evolving
final class SplittableHistogram private (val maxWidth: Long, val epsilon: Double)
    extends TimestampSummary[SplittableHistogram] {
  private val log = SplittableInterval.log(maxWidth)
  private val most = SplittableInterval.most(maxWidth, epsilon)
  private val ownError = (2.0 + log) / (most - log)

  private val time = new Clock(maxWidth)

  /** The interval with an even index, and the one with an odd index. */
  private val intervals = new Array[SplittableInterval](2)
  private var merged: DyadicDigest = _

  override def clock: Long = time.now
  override def late: Long = time.late

  override def insert(time: Long, value: Long): Unit =
    if (this.time.accepts(time, value))
      if (value == 0) dropOld()
      else {
        val index = time >> log
        val interval = intervals((index & 1).toInt)
        if (interval != null && interval.index == index) interval.insert(time, value)
        else begin(index).insert(time, value)
      }

  /** Replaces the interval in the same place, which ended before every window that can still be queried. */
  private def begin(index: Long): SplittableInterval = {
    val interval = new SplittableInterval(index, log, most)
    intervals((index & 1).toInt) = interval
    dropOld()
    interval
  }

  override def advanceTo(time: Long): Unit = {
    this.time.advanceTo(time)
    dropOld()
  }

  private def dropOld(): Unit = {
    for (i <- intervals.indices)
      if (intervals(i) != null && intervals(i).end < time.oldest) intervals(i) = null
    if (merged != null) merged.advanceTo(clock)
  }

  override def merge(other: SplittableHistogram): Unit = {
    Clock.checkSame("maxWidth", maxWidth, other.maxWidth)
    Clock.checkSame("epsilon", epsilon, other.epsilon)
    val more = emptyDigest
    if (other.clock != Long.MinValue) more.advanceTo(other.clock)
    other.kept.foreach(_.steps(more.add(_, _)))
    if (other.merged != null) more.merge(other.merged)
    if (merged == null) merged = more else merged.merge(more)
    time.merge(other.time)
    if (clock != Long.MinValue) dropOld()
  }

  private def emptyDigest: DyadicDigest =
    DyadicDigest.unchecked(maxWidth, (epsilon - ownError) / (1 + ownError))

  private def kept: Seq[SplittableInterval] = intervals.toSeq.filter(_ != null).sortBy(-_.index)

  override def query(now: Long, width: Long): Estimate = {
    time.checkQuery(now, width)
    val (from, after) = (new Suffix, new Suffix)
    for (interval <- intervals if interval != null) {
      val part = new Suffix
      interval.suffix(now - width, part)
      from.set(from.least + part.least, from.most + part.most)
      interval.suffix(now + 1, part)
      after.set(after.least + part.least, after.most + part.most)
    }
    val least = math.max(0L, from.least - after.most)
    val greatest = from.most - after.least
    val estimate = math.max(0.0, (from.least + from.most - after.least - after.most) / 2.0)
    if (merged == null) new Estimate(least.toDouble, estimate, greatest.toDouble)
    else withMerged(least.toDouble, estimate, greatest.toDouble, now, width)
  }

  /** Adds the estimate of the digest, whose elements are within `ownError` of those since the begin of the window. */
  private def withMerged(
      least: Double,
      estimate: Double,
      greatest: Double,
      now: Long,
      width: Long
  ): Estimate = {
    val answer = merged.range(now - width, now)
    val slack = ownError * merged.range(now - width, Clock.MaxTime).upper / (1 - ownError) +
      ownError * (if (now < clock) merged.range(now + 1, Clock.MaxTime).upper / (1 - ownError) else 0)
    // Sums are whole numbers. The rounding error of doubles is below this.
    val rounding = 1e-12 * answer.upper
    new Estimate(
      least + math.max(0.0, math.ceil(answer.lower - slack - rounding)),
      estimate + answer.estimate,
      greatest + math.floor(answer.upper + slack + rounding)
    )
  }

  /** The number of buckets of all levels, and of ranges of the digest. */
  def buckets: Int = kept.map(_.buckets).sum + (if (merged == null) 0 else merged.ranges)

  override def bits: Long = packed.bits

  private def packed: BitWriter = {
    val out = new BitWriter
    for (interval <- intervals) {
      out.write(if (interval == null) 0 else 1, 1)
      if (interval != null) {
        out.write(interval.index - (clock >> log) + 1, 1)
        interval.write(out)
      }
    }
    out.write(if (merged == null) 0 else 1, 1)
    if (merged != null) out.writeBytes(merged.toBytes)
    out
  }

  override def headerBytes: Int = (header.bits / 8).toInt

  private def header: BitWriter = {
    val out = Format.writer(Format.SplittableHistogram)
    out.writeVariable(maxWidth)
    out.writeDouble(epsilon)
    time.write(out)
    out
  }

  override def toBytes: Array[Byte] = header.toBytes ++ packed.toBytes

  private def read(in: BitReader): Unit = {
    time.read(in)
    for (i <- intervals.indices if in.read(1) == 1) {
      val index = (clock >> log) - 1 + in.read(1)
      Format.check(!time.isUnset && (index & 1) == i)
      intervals(i) = new SplittableInterval(index, log, most)
      intervals(i).read(in)
    }
    if (in.read(1) == 1) {
      merged = DyadicDigest.fromBytes(in.readBytes())
      val expected = emptyDigest
      Format.check(merged.maxWidth == maxWidth && merged.epsilon == expected.epsilon && merged.clock <= clock)
    }
  }

  /** For tests of the invariants: L, α and the intervals. */
  private[summaries] def state: (Int, Int, Seq[SplittableInterval]) = (log, most, kept)
}

object SplittableHistogram {

  /**
   * Creates an empty histogram.
   *
   * @param maxWidth
   *   W, the greatest width of a query, in the unit of the timestamps
   * @param epsilon
   *   the greatest relative error
   * @throws java.lang.IllegalArgumentException
   *   if `maxWidth` is not from 1 to 2^60^ or `epsilon` not from 2^-20^ and below 1
   */
  def create(maxWidth: Long, epsilon: Double): SplittableHistogram = {
    Clock.checkWidth(maxWidth)
    Arguments.checkRelative(epsilon)
    new SplittableHistogram(maxWidth, epsilon)
  }

  /**
   * Reads a histogram that [[SplittableHistogram.toBytes]] stored.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `bytes` is no such histogram
   */
  def fromBytes(bytes: Array[Byte]): SplittableHistogram = Format.read(bytes, Format.SplittableHistogram) {
    in =>
      val histogram = create(in.readVariable(), in.readDouble())
      histogram.read(in)
      histogram
  }
}
