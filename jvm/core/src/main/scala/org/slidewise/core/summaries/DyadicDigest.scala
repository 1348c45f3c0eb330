package org.slidewise.core.summaries

import Arguments.width
import org.slidewise.core.Evolving

/**
 * Digest of timestamps: counts and sums over any window of timestamps, from elements in any order, within a relative error of ε.
 * Mergeable. The smallest and fastest of the timestamp summaries.
 *
 * '''Method.''' The digest counts elements in dyadic ranges of timestamps, from a single timestamp up to 2^L^ ≥ W. It merges
 * neighbouring ranges if their count is small compared with the count of newer elements. For a range v of 2^k^ timestamps let
 * R(v) be the count of the ranges entirely to the right of (newer than) v, and P(v) the count of v and of all ranges that
 * contain it.
 *
 * '''Estimate''' for the timestamps from t on: the count of all ranges within, plus half the count of the ranges that begin
 * before t and end at t or after. '''Error:''' the latter are nested. If v is the smallest of them, their count is P(v), and the
 * ranges of R(v) are within. By (D1) the error is at most P(v) / 2 ≤ ε R(v), which is at most ε of the true value.
 *
 * '''Merging''' adds the counts of equal ranges. (D1) holds for the result: P and R of the result are the sums of P and of R. If
 * one digest lacks v, its P(v) is that of the smallest range u around v, and P(u) ≤ share(u) R(u) ≤ share(v) R(v). The argument
 * uses nothing else, so that trees of merges of any depth stay within ε. Ranges that are dropped as too old are in no R that is
 * used.
 *
 * '''Size.''' Shares grow as ranges get smaller, so that the parts of a full range can be merged as well. If [[compress]] does
 * not merge p, the count within p is more than (ε / L) R(p). There can be (L / ε)(1 + ln(ε B / L)) such ranges side by side, B
 * the total count, and at most 2 L times as many ranges on the paths to them. Streams that arrive nearly in order have about
 * ln(ε B) / ε ranges (`docs/summaries.md` has measurements), compared with (2 L / ε) log B buckets of a splittable histogram.
 * '''Stored bits:''' k, the distance from the previous range and the count of each range, the latter two in Elias code. Up to
 * 512 elements are buffered unsorted; [[bits]] and [[toBytes]] add them first. '''Memory:''' three growing lists with
 * 17 bytes for each range, prefix sums with 8, and the buffer with 16 for each element.
 *
 * '''Cost:''' insert O(log W) amortised, for sorting 512 elements and one pass over the ranges; query O(ranges). Not safe for
 * concurrent use.
 *
 * Invariants, between calls, of the ranges:
 *   - (D1) P(v) ≤ share(k) R(v) for each v of 2^k^ > 1 timestamps, share(k) = ε (2 - k / L);
 *   - (D2) they are in the order of [[DyadicNodes]], and all ended at `clock - maxWidth` or after when last compressed;
 *   - (D3) their counts and the buffered elements sum to all elements, without ranges that ended before `clock - maxWidth`.
 *
 * @see
 *   Shrivastava, Buragohain, Agrawal, Suri, "Medians and Beyond: New Aggregation Techniques for Sensor Networks" (q-digest);
 *   Cormode, Korn, Tirthapura, "Time-Decaying Aggregates in Out-of-order Streams", with a bias towards the newest; the problem
 *   is that of Busch, Tirthapura, "A Deterministic Algorithm for Summarizing Asynchronous Streams over a Sliding Window"
 */
@Evolving
final class DyadicDigest private (val maxWidth: Long, val epsilon: Double)
    extends TimestampSummary[DyadicDigest] {
  private val logWidth = width(maxWidth - 1)
  private val shares = Array.tabulate(logWidth + 1)(k => epsilon * (2 - k.toDouble / math.max(1, logWidth)))

  private val time = new Clock(maxWidth)
  private val arrivals = new ArrivalBuffer
  private val nodes = new DyadicNodes
  private val spare = new DyadicNodes
  private val sorted = new DyadicNodes

  /** Prefix sums of the counts of `spare`, and the count right of the current node of [[compress]]. */
  private var sums = new Array[Long](0)
  private var right = 0L

  override def clock: Long = time.now
  override def late: Long = time.late

  override def insert(time: Long, value: Long): Unit =
    if (this.time.accepts(time, value) && value > 0) {
      arrivals.add(time, value)
      if (arrivals.isFull) drainArrivals()
    }

  /** Adds `value` at `time` if it can still be in a window. Does not count it as late otherwise. */
  private[summaries] def add(time: Long, value: Long): Unit =
    if (time >= this.time.oldest) {
      arrivals.add(time, value)
      if (arrivals.isFull) drainArrivals()
    }

  override def advanceTo(time: Long): Unit = this.time.advanceTo(time)

  override def merge(other: DyadicDigest): Unit = {
    Clock.checkSame("maxWidth", maxWidth, other.maxWidth)
    Clock.checkSame("epsilon", epsilon, other.epsilon)
    drainArrivals()
    other.drainArrivals()
    time.merge(other.time)
    take(other.nodes)
  }

  private def drainArrivals(): Unit =
    if (arrivals.size > 0) {
      arrivals.drainTo(sorted)
      take(sorted)
    }

  private def take(more: DyadicNodes): Unit = {
    spare.union(nodes, more, time.oldest)
    compress()
  }

  /** Writes the ranges of `spare` to `nodes`, merged if (D1) allows it. */
  private def compress(): Unit = {
    if (sums.length <= spare.size) sums = new Array[Long](spare.size + spare.size / 2 + 16)
    var i = 0
    while (i < spare.size) {
      sums(i + 1) = Math.addExact(sums(i), spare.count(i))
      i += 1
    }
    if (sums(spare.size) >= DyadicDigest.Greatest)
      throw new ArithmeticException("the sum of the stored values reaches 2^62")
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

  /** Compresses one subtree; `around` is the count of the ranges that contain it. Merges only if that makes fewer ranges. */
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
    drainArrivals()
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
    drainArrivals()
    nodes.size
  }

  override def bits: Long = packed.bits

  private def packed: BitWriter = {
    drainArrivals()
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
    drainArrivals()
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
    Format.check(size == 0 || size > 0 && !time.isUnset)
    // The least that a range takes: a count and a distance of a bit each.
    in.require(if (size > Int.MaxValue) Long.MaxValue else size * 2)
    var total = 0L
    var before = (clock >> logWidth << logWidth) + (1L << logWidth) - 1
    var i = 0L
    while (i < size) {
      val log = in.read(width(logWidth.toLong)).toInt
      val distance = in.readElias() - 1
      Format.check(log <= logWidth && distance >= 0 && distance <= (DyadicDigest.LeastEnd.abs >> log))
      before = ((before >> log) - distance) << log | ((1L << log) - 1)
      val count = in.readElias()
      Format.check(count >= 1 && before >= DyadicDigest.LeastEnd && follows(before, log))
      total = Math.addExact(total, count)
      Format.check(total < DyadicDigest.Greatest)
      nodes.add(before, log, count)
      i += 1
    }
  }

  /** Whether a range follows the last one in the order of (D2). */
  private def follows(end: Long, log: Int): Boolean = {
    val last = nodes.size - 1
    last < 0 || end < nodes.end(last) || end == nodes.end(last) && log < nodes.log(last)
  }

  /** For tests of (D1) to (D3): the ranges as (end, k, count) without buffered elements, and the share of each k. */
  private[summaries] def state: (IndexedSeq[(Long, Int, Long)], Array[Double]) = {
    drainArrivals()
    ((0 until nodes.size).map(i => (nodes.end(i), nodes.log(i), nodes.count(i))), shares)
  }
}

object DyadicDigest {

  /**
   * Creates an empty digest.
   *
   * @param maxWidth
   *   W, the greatest width of a query, in the unit of the timestamps
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

  /** Creates an empty digest without checking `epsilon`, which may be a computed one below the allowed range. */
  private[summaries] def unchecked(maxWidth: Long, epsilon: Double): DyadicDigest =
    new DyadicDigest(maxWidth, epsilon)

  /** The sum of all counts is less. */
  private val Greatest = 1L << 62

  /** No range that is stored ends before. */
  private val LeastEnd = -(1L << 62)

  /**
   * Reads a digest that [[DyadicDigest.toBytes]] stored.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `bytes` is no such digest
   */
  def fromBytes(bytes: Array[Byte]): DyadicDigest = Format.read(bytes, Format.DyadicDigest) { in =>
    val (maxWidth, epsilon) = (in.readVariable(), in.readDouble())
    Clock.checkWidth(maxWidth)
    Arguments.checkEpsilon(epsilon)
    val digest = unchecked(maxWidth, epsilon)
    digest.read(in)
    digest
  }
}
