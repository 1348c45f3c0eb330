package org.slidewise.core.summaries

import Arguments.{ceilDiv, width}
import org.slidewise.core.Evolving

/**
 * Exponential histogram: the sum of the last W whole numbers from 0 to R, or the number of ones among the last W bits (R = 1),
 * within a relative error of ε. A number v counts as v ones at one position.
 *
 * A bucket represents 2^j^ ones by the position of the newest. If a size has more than q + 1 buckets, q = ⌈1 / (2 ε)⌉, the
 * oldest are joined in pairs into buckets of twice the size until q or q + 1 are left. A bucket is removed when its position
 * leaves the window.
 *
 * '''Error.''' Let the oldest bucket have C ones, and all buckets T. The newest one of the oldest bucket is in the window, so
 * that the sum is from T - C + 1 to T, and the error of the estimate T - (C - 1) / 2 is at most (C - 1) / 2. Each smaller size has
 * at least q buckets, so the sum is at least 1 + q (C - 1), which is more than (C - 1) / (2 ε).
 *
 * '''Stored bits:''' ⌈log,,2,, W⌉ for the age of a bucket, and ⌈log,,2,,(q + 2)⌉ for the number of buckets of each of at most
 * ⌈log,,2,,(W R / q + 1)⌉ + 1 sizes: O(log(W) log(W R) / ε). '''Memory:''' arrays for all buckets of all sizes from creation
 * on. '''Cost:''' insert O(log(W R)) amortised, O(1) for a one, and O(log(W R) / ε) in the worst case, since buckets at one
 * position are joined together; query O(1). Not safe for concurrent use.
 *
 * Invariants, between calls:
 *   - (H1) there are at most q + 1 buckets of a size, and at least q of each size below the greatest;
 *   - (H2) positions do not increase from a bucket to the next older one, and all are in the window.
 *
 * @see
 *   Datar, Gionis, Indyk, Motwani, "Maintaining Stream Statistics over Sliding Windows", sections 3 and 5
 */
@Evolving
final class ExponentialHistogram private (val window: Long, val upperBound: Long, val epsilon: Double)
    extends SumSummary
    with CountSummary {
  private val most = ExponentialHistogram.most(epsilon)
  private val sizes =
    Array.fill(ExponentialHistogram.sizes(window, upperBound, epsilon))(new BucketRuns(most))

  /** The buckets that an insertion adds to a size, and the buckets that it joins for the next size. */
  private var added = new BucketRuns(most + 2)
  private var joined = new BucketRuns(most + 2)
  private var greatest = 0
  private var total = 0L
  private var now = 0L

  override def insert(one: Boolean): Unit = insert(if (one) 1L else 0L)

  override def insert(value: Long): Unit = {
    if (value < 0 || value > upperBound)
      Arguments.outside("value", value, s"from 0 to the upperBound $upperBound")
    now += 1
    dropOldest()
    if (value == 1) addOne() else if (value > 0) add(value)
  }

  private def dropOldest(): Unit =
    while (total > 0 && sizes(greatest).oldestPosition <= now - window) {
      val gone = sizes(greatest).oldestLength
      sizes(greatest).removeOldest(gone)
      total -= gone << greatest
      while (greatest > 0 && sizes(greatest).isEmpty) greatest -= 1
    }

  /** [[add]] for a single one: at each size at most one bucket arrives and two are joined. */
  private def addOne(): Unit = {
    total += 1
    var position = now
    var size = 0
    while (sizes(size).size == most) {
      sizes(size).removeOldest(1)
      val joined = sizes(size).oldestPosition
      sizes(size).removeOldest(1)
      sizes(size).append(position, 1)
      position = joined
      size += 1
    }
    sizes(size).append(position, 1)
    if (size > greatest) greatest = size
  }

  private def add(ones: Long): Unit = {
    total += ones
    added.append(now, ones)
    var size = 0
    while (sizes(size).size + added.size > most) {
      join(sizes(size), sizes(size).size + added.size - most)
      added.moveTo(sizes(size))
      val emptied = added
      added = joined
      joined = emptied
      size += 1
    }
    added.moveTo(sizes(size))
    if (size > greatest) greatest = size
  }

  /** Joins the oldest buckets of `same`, and then of `added`, until there are `excess` or `excess` + 1 fewer: (H1). */
  private def join(same: BucketRuns, excess: Long): Unit = {
    var left = 2 * ceilDiv(excess, 2)
    var unpaired = 0L
    while (left > 0) {
      val from = if (same.isEmpty) added else same
      val position = from.oldestPosition
      val taken = math.min(from.oldestLength, left)
      from.removeOldest(taken)
      left -= taken
      unpaired += taken
      if (unpaired > 1) joined.append(position, unpaired / 2)
      unpaired %= 2
    }
  }

  private def oldestSize: Long = if (total == 0) 1 else 1L << greatest

  override def estimate: Double = total - (oldestSize - 1) / 2.0
  override def lower: Double = (total - oldestSize + 1).toDouble
  override def upper: Double = total.toDouble

  /** The number of buckets. */
  def buckets: Long = sizes.map(_.size).sum

  private def countWidth: Int = width(most.toLong)
  private def ageWidth: Int = width(window - 1)

  override def bits: Long = (greatest + 1).toLong * countWidth + buckets * ageWidth
  override def headerBytes: Int = (header.bits / 8).toInt
  override def heapBytes: Long = HeapBytes.ofObject(fields = 10) +
    HeapBytes.ofArray(sizes.length.toLong, 8) + (added +: joined +: sizes.toSeq).map(_.heapBytes).sum

  private def header: BitWriter = {
    val out = Format.writer(Format.ExponentialHistogram)
    out.writeVariable(window)
    out.writeVariable(upperBound)
    out.writeDouble(epsilon)
    out.writeVariable(greatest.toLong)
    out
  }

  override def toBytes: Array[Byte] = {
    val out = header
    for (same <- sizes.take(greatest + 1)) {
      out.write(same.size, countWidth)
      same.allPositions.foreach(position => out.write(now - position, ageWidth))
    }
    out.toBytes
  }

  private def read(in: BitReader): Unit = {
    val last = in.readVariable()
    Format.check(last >= 0 && last < sizes.length)
    greatest = last.toInt
    var newest = 0L
    for (size <- 0 to greatest) {
      val count = in.read(countWidth)
      Format.check(count <= most && (size == greatest || count >= most - 1))
      if (count > 0) newest = read(in, size, count, newest)
      total = Math.addExact(total, Math.multiplyExact(count, 1L << size))
    }
    Format.check(greatest == 0 || !sizes(greatest).isEmpty)
  }

  /**
   * Reads the positions of the buckets of one size, which are at `newest` or before, and returns the oldest. The ones of all
   * newer buckets, and the newest of its own, are at a bucket's position or after.
   */
  private def read(in: BitReader, size: Int, count: Long, newest: Long): Long = {
    val same = sizes(size)
    def checkOnes(position: Long, newer: Long): Unit =
      Format.check(total + Math.multiplyExact(newer, 1L << size) < (1 - position) * upperBound)
    if (ageWidth == 0) { // no bits to read: a loop would take longer than the input allows
      checkOnes(0L, count - 1)
      same.append(0L, count)
    } else {
      var before = 1 - window
      for (newer <- count - 1 to 0L by -1L) {
        val position = -in.read(ageWidth)
        Format.check(position >= before && position <= newest)
        checkOnes(position, newer)
        same.append(position, 1)
        before = position
      }
    }
    same.oldestPosition
  }

  /** For tests of (H1) and (H2): the positions of each size, oldest first, and q. */
  private[summaries] def state: (IndexedSeq[Seq[Long]], Int, Long) =
    ((0 to greatest).map(size => sizes(size).allPositions.toSeq), most - 1, now)
}

object ExponentialHistogram {

  /** Creates a summary of a window of zeros, to count ones. */
  def create(window: Long, epsilon: Double): ExponentialHistogram = create(window, 1, epsilon)

  /**
   * Creates a summary of a window of zeros, to sum numbers up to `upperBound`.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `window` is not from 1 to 2^40^, `upperBound` not from 1, `epsilon` not from 2^-20^ and below 1, or
   *   `window * upperBound` above 2^60^, or if they need more than 128 MiB
   */
  def create(window: Long, upperBound: Long, epsilon: Double): ExponentialHistogram = {
    Arguments.checkRelativeSum(window, upperBound, epsilon)
    Arguments.checkHeap(16L * sizes(window, upperBound, epsilon) * most(epsilon), window, epsilon)
    new ExponentialHistogram(window, upperBound, epsilon)
  }

  /** q + 1, the greatest number of buckets of a size. */
  private def most(epsilon: Double): Int = math.ceil(1 / (2 * epsilon)).toInt + 1

  /** The number of sizes that buckets can have. */
  private def sizes(window: Long, upperBound: Long, epsilon: Double): Int =
    width(window * upperBound / (most(epsilon) - 1)) + 2

  /**
   * Reads a summary that [[ExponentialHistogram.toBytes]] stored.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `bytes` is no such summary
   */
  def fromBytes(bytes: Array[Byte]): ExponentialHistogram = Format.read(bytes, Format.ExponentialHistogram) {
    in =>
      val histogram = create(in.readVariable(), in.readVariable(), in.readDouble())
      histogram.read(in)
      histogram
  }
}
