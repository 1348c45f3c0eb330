package org.slidewise.core.summaries

/**
 * The splittable histogram of Busch and Tirthapura: counts and sums over the timestamps of any window, from elements in any
 * order, within a relative error of ε; and, beyond the paper, mergeable. [[DyadicDigest]] does the same in less.
 *
 * '''How.''' Time is cut into intervals of 2^L^ ≥ W timestamps, of which a window meets two at most. Each has histograms S,,0,,,
 * S,,1,,, … ([[SplittableLevel]]) of at most α = ⌈(1 + L)(2 + ε) / ε⌉ buckets, the newest; S,,i,, in grains of about 2^i^ elements.
 * Each element goes to all of them, the finest one that reaches back far enough answers.
 *
 * '''Its error,''' if nothing was merged, is below ε / 2. Let level i answer for the timestamps from t on. If i = 0, it is
 * right. Otherwise level i - 1 has discarded timestamps from t on, and its α leaves, each of 2^i-1^ at least and in at most L
 * subtrees right of the boundary, show that there are (α - L) 2^i-1^ elements. The answer, in the centre of what level i knows,
 * is off by 2^i^ (1 + L) / 2 at most, and (1 + L) / (α - L) < ε / 2 by the choice of α. (The paper answers with the weight of the
 * leaves, off by 2^i^ (1 + L), for which it needs all of ε.)
 *
 * '''Merging.''' The half that is saved pays for it. What `other` knows is made a list of elements ([[SplittableInterval.steps]])
 * whose count from any timestamp on is within ε,,1,, = (2 + L) / (α - L) of its own elements', by the proof above with half a
 * bucket more. That goes into a [[DyadicDigest]] `merged` of ε,,2,, = (ε - ε,,1,,) / (1 + ε,,1,,), and with it `other`'s own `merged`,
 * which adds no error. An element so moves from a histogram to a digest once, whatever the tree of merges: the error of
 * all is at most ε,,1,, + ε,,2,, (1 + ε,,1,,) = ε.
 *
 * '''Space:''' α buckets a level, ⌈log,,2,, B⌉ + 1 levels, two intervals, ⌈log,,2,,(L + 1)⌉ and at most i bits a bucket:
 * O(log W log B (log W + log B) / ε) bits (Theorems 2 and 4). '''Cost:''' insert O(log α) a level to find a bucket, and to split
 * one moves up to α in an array; a bucket that splits had 2^i^ elements, so that is O(log B log α) amortised; a value of v
 * is one loop of L steps at most a level, not v insertions. Query O(log B + α).
 *
 * Invariants, between calls: (B1) to (B3) of [[SplittableLevel]], and
 *   - (I1) each element that was not late, and whose interval is kept, is in each level, or at `discarded` of it or before.
 *
 * @see
 *   Busch, Tirthapura, "A Deterministic Algorithm for Summarizing Asynchronous Streams over a Sliding Window"
 */
final class SplittableHistogram private (val maxWidth: Long, val epsilon: Double)
    extends TimestampSummary[SplittableHistogram] {
  private val log = SplittableInterval.log(maxWidth)
  private val most = SplittableInterval.most(maxWidth, epsilon)
  private val ownError = (2.0 + log) / (most - log)

  private val time = new Clock(maxWidth)

  /** The interval of an even number and that of an odd one. */
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

  /** Whatever had its place ended before any window that can still be asked for. */
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

  /** The digest answers for the list of steps, which in turn is within `ownError` of the elements since the window's begin. */
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
    // Sums are whole numbers, and doubles off by less than this.
    val rounding = 1e-12 * answer.upper
    new Estimate(
      least + math.max(0.0, math.ceil(answer.lower - slack - rounding)),
      estimate + answer.estimate,
      greatest + math.floor(answer.upper + slack + rounding)
    )
  }

  /** The number of buckets of all levels, and of ranges merged in. */
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
      intervals(i) = new SplittableInterval((clock >> log) - 1 + in.read(1), log, most)
      intervals(i).read(in)
    }
    if (in.read(1) == 1) merged = DyadicDigest.fromBytes(in.readBytes())
  }

  /** For tests of the invariants: L, α and the intervals. */
  private[summaries] def state: (Int, Int, Seq[SplittableInterval]) = (log, most, kept)
}

object SplittableHistogram {

  /**
   * A summary of nothing.
   *
   * @param maxWidth
   *   W, the greatest width that can be asked for, in the timestamps' unit
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

  /** The summary that [[SplittableHistogram.toBytes]] stored. */
  def fromBytes(bytes: Array[Byte]): SplittableHistogram = Format.read(bytes, Format.SplittableHistogram) {
    in =>
      val histogram = create(in.readVariable(), in.readDouble())
      histogram.read(in)
      histogram
  }
}
