package org.slidewise.core.summaries

import Arguments.width

/**
 * Counts and sums over the timestamps of any window, from elements in any order, within a relative error of ε; mergeable, and
 * the smallest and fastest of its kind here.
 *
 * '''How.''' Elements are counted in dyadic ranges of timestamps, at first of a single one, up to 2^L^ ≥ W. Neighbouring ranges
 * become one where the count of what is newer is so great that it does not matter. For a range v of 2^k^ timestamps let R(v) be
 * the count of the ranges wholly to the right of (newer than) v, and P(v) the count of v and of all ranges that contain it.
 *
 * '''The answer''' for the timestamps from t on is the count of all ranges within, and half of that of those which begin before t
 * and end at t or after. '''Its error:''' the latter contain each other; if v is the smallest, their count is P(v), and R(v)
 * is among the former. So by (D1) the error is at most P(v) / 2 ≤ ε R(v), which is at most ε of what is true.
 *
 * '''Merging''' adds counts range by range, and (D1) holds for the sum by adding it for both: P and R of the sum are the sums of
 * P and of R, also where one of the two lacks v, whose P(v) is then that of the smallest range u it has around v, and
 * P(u) ≤ share(u) R(u) ≤ share(v) R(v). Nothing else was assumed, so that trees of merges of any depth stay within ε. What is
 * dropped at the far end is in no R that is used.
 *
 * '''Space:''' shares grow as ranges get smaller so that a full range leaves its parts room: if p is not made one after a
 * [[compress]], what it contains is more than (ε / L) R(p), of which there can be (L / ε)(1 + ln(ε B / L)) side by side, B the
 * count of all; with what hangs on the paths to them, at most 2 L times as many ranges. Streams that arrive nearly in order have
 * about ln(ε B) / ε of them (`docs/summaries.md` has measurements), against (2 L / ε) log B in a splittable histogram.
 * '''Bits:''' each has its k, its distance from the range before and its count in codes of Elias. Up to 512 elements wait
 * unsorted; [[bits]] and [[toBytes]] take them in first.
 *
 * '''Cost:''' insert O(log W) amortised: a sort of 512 and one walk over the ranges; query O(ranges).
 *
 * Invariants, between calls, of the ranges:
 *   - (D1) P(v) ≤ share(k) R(v) for each v of 2^k^ > 1 timestamps, share(k) = ε (2 - k / L);
 *   - (D2) they stand in the order of [[DyadicNodes]], and all end at `clock - maxWidth` or after, when last compressed;
 *   - (D3) the sum of their counts, and of what waits, is that of all elements, but for what ended before `clock - maxWidth`.
 *
 * @see
 *   Shrivastava, Buragohain, Agrawal, Suri, "Medians and Beyond: New Aggregation Techniques for Sensor Networks" (q-digest);
 *   Cormode, Korn, Tirthapura, "Time-Decaying Aggregates in Out-of-order Streams", who bias it towards the newest; the problem
 *   is that of Busch, Tirthapura, "A Deterministic Algorithm for Summarizing Asynchronous Streams over a Sliding Window"
 */
final class DyadicDigest private (val maxWidth: Long, val epsilon: Double)
    extends TimestampSummary[DyadicDigest] {
  private val logWidth = width(maxWidth - 1)
  private val shares = Array.tabulate(logWidth + 1)(k => epsilon * (2 - k.toDouble / math.max(1, logWidth)))

  private val time = new Clock(maxWidth)
  private val arrivals = new Arrivals
  private val nodes = new DyadicNodes
  private val spare = new DyadicNodes
  private val sorted = new DyadicNodes

  /** Sums of the counts of `spare` up to each node, and the count right of the walk of [[compress]]. */
  private var sums = new Array[Long](0)
  private var right = 0L

  override def clock: Long = time.now
  override def late: Long = time.late

  override def insert(time: Long, value: Long): Unit =
    if (this.time.accepts(time, value) && value > 0) {
      arrivals.add(time, value)
      if (arrivals.isFull) settle()
    }

  /** Adds `value` at `time` as one that counts if it can still be in a window, and is not late if not. */
  private[summaries] def add(time: Long, value: Long): Unit =
    if (time >= this.time.oldest) {
      arrivals.add(time, value)
      if (arrivals.isFull) settle()
    }

  override def advanceTo(time: Long): Unit = this.time.advanceTo(time)

  override def merge(other: DyadicDigest): Unit = {
    Clock.checkSame("maxWidth", maxWidth, other.maxWidth)
    Clock.checkSame("epsilon", epsilon, other.epsilon)
    settle()
    other.settle()
    time.merge(other.time)
    take(other.nodes)
  }

  private def settle(): Unit =
    if (arrivals.size > 0) {
      arrivals.drainTo(sorted)
      take(sorted)
    }

  private def take(more: DyadicNodes): Unit = {
    spare.union(nodes, more, time.oldest)
    compress()
  }

  /** Writes the ranges of `spare`, made one where (D1) allows it, to `nodes`. */
  private def compress(): Unit = {
    if (sums.length <= spare.size) sums = new Array[Long](spare.size + spare.size / 2 + 16)
    var i = 0
    while (i < spare.size) {
      sums(i + 1) = Math.addExact(sums(i), spare.count(i))
      i += 1
    }
    nodes.clear()
    right = 0
    var from = 0
    while (from < spare.size) {
      val root = spare.end(from) >> logWidth << logWidth
      val until = spare.firstBefore(root, from, spare.size)
      compress(from, until, 0)
      from = until
    }
  }

  /** Those of one subtree, with the count of the ranges around it. Only where ranges become fewer are they made one. */
  private def compress(from: Int, until: Int, around: Long): Unit =
    if (until - from == 1) keep(spare.end(from), spare.log(from), spare.count(from))
    else if (until > from) {
      val log = math.max(spare.log(from), width(spare.end(from) ^ spare.end(until - 1)))
      val end = spare.end(from) | ((1L << log) - 1)
      val total = sums(until) - sums(from)
      if (around + total <= shares(log) * right) keep(end, log, total)
      else {
        val own = if (spare.log(from) == log) spare.count(from) else 0L
        if (own > 0) nodes.add(end, log, own)
        val first = if (own > 0) from + 1 else from
        val middle = spare.firstBefore(end - (1L << (log - 1)) + 1, first, until)
        compress(first, middle, around + own)
        compress(middle, until, around + own)
        right += own
      }
    }

  private def keep(end: Long, log: Int, count: Long): Unit = {
    nodes.add(end, log, count)
    right += count
  }

  override def query(now: Long, width: Long): Estimate = {
    time.checkQuery(now, width)
    range(now - width, now)
  }

  /** The elements with timestamps from `from` to `to`. */
  private[summaries] def range(from: Long, to: Long): Estimate = {
    settle()
    var (inside, partly) = (0L, 0L)
    var i = 0
    while (i < nodes.size && nodes.end(i) >= from) {
      if (nodes.start(i) <= to)
        if (nodes.start(i) >= from && (nodes.end(i) <= to || to >= clock)) inside += nodes.count(i)
        else partly += nodes.count(i)
      i += 1
    }
    new Estimate(inside.toDouble, inside + partly / 2.0, (inside + partly).toDouble)
  }

  /** The number of ranges. */
  def ranges: Int = {
    settle()
    nodes.size
  }

  override def bits: Long = packed.bits

  private def packed: BitWriter = {
    settle()
    val out = new BitWriter
    var before = (clock >> logWidth << logWidth) + (1L << logWidth) - 1
    var i = 0
    while (i < nodes.size) {
      val log = nodes.log(i)
      out.write(log.toLong, width(logWidth.toLong))
      out.writeElias((before >> log) - (nodes.end(i) >> log) + 1)
      out.writeElias(nodes.count(i))
      before = nodes.end(i)
      i += 1
    }
    out
  }

  override def headerBytes: Int = (header.bits / 8).toInt

  private def header: BitWriter = {
    settle()
    val out = Format.writer(Format.DyadicDigest)
    out.writeVariable(maxWidth)
    out.writeDouble(epsilon)
    time.write(out)
    out.writeVariable(nodes.size.toLong)
    out
  }

  override def toBytes: Array[Byte] = header.toBytes ++ packed.toBytes

  private def read(in: BitReader): Unit = {
    time.read(in)
    val size = in.readVariable()
    var before = (clock >> logWidth << logWidth) + (1L << logWidth) - 1
    var i = 0L
    while (i < size) {
      val log = in.read(width(logWidth.toLong)).toInt
      before = ((before >> log) - (in.readElias() - 1)) << log | ((1L << log) - 1)
      val count = in.readElias()
      if (log > logWidth || count < 1 || !follows(before, log)) Format.damaged()
      nodes.add(before, log, count)
      i += 1
    }
  }

  /** Whether a range comes after the last one in the order of (D2). */
  private def follows(end: Long, log: Int): Boolean = {
    val last = nodes.size - 1
    last < 0 || end < nodes.end(last) || end == nodes.end(last) && log < nodes.log(last)
  }

  /** For tests of (D1) to (D3): the ranges as (end, k, count), settled, and what share each k has. */
  private[summaries] def state: (IndexedSeq[(Long, Int, Long)], Array[Double]) = {
    settle()
    ((0 until nodes.size).map(i => (nodes.end(i), nodes.log(i), nodes.count(i))), shares)
  }
}

object DyadicDigest {

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
  def create(maxWidth: Long, epsilon: Double): DyadicDigest = {
    Clock.checkWidth(maxWidth)
    Arguments.checkRelative(epsilon)
    unchecked(maxWidth, epsilon)
  }

  /** One with an error that was computed, and so may be below what can be asked for. */
  private[summaries] def unchecked(maxWidth: Long, epsilon: Double): DyadicDigest =
    new DyadicDigest(maxWidth, epsilon)

  /** The summary that [[DyadicDigest.toBytes]] stored. */
  def fromBytes(bytes: Array[Byte]): DyadicDigest = Format.read(bytes, Format.DyadicDigest) { in =>
    val digest = unchecked(in.readVariable(), in.readDouble())
    digest.read(in)
    digest
  }
}
