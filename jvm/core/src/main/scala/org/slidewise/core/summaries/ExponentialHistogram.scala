package org.slidewise.core.summaries

import Arguments.width

/**
 * An exponential histogram: how many of the last W bits are ones, within a relative error of ε.
 *
 * Ones are kept in buckets of 2^j^ of them, of which only the position of the newest one is known. Where there would be q + 2
 * buckets of a size, the two oldest become one of twice the size, q = ⌈1 / (2 ε)⌉; a bucket goes when its position leaves
 * the window.
 *
 * '''Its error:''' let the oldest bucket have C ones. Its newest one is in the window, so that the count is from
 * T - C + 1 to T, with T the ones of all buckets, and the answer T - (C - 1) / 2 is off by (C - 1) / 2 at most. Each smaller
 * size has at least q buckets, so the count is at least 1 + q (C - 1), which is more than (C - 1) / (2 ε).
 *
 * '''Bits:''' ⌈log,,2,, W⌉ for a bucket's age, and ⌈log,,2,,(q + 2)⌉ for the number of buckets of each size, of which there are
 * at most ⌈log,,2,,(W / q + 1)⌉ + 1: O(log^2^(W) / ε). '''Cost:''' insert O(log W) worst case, O(1) amortised; query O(1).
 *
 * Invariants, between calls:
 *   - (H1) there are at most q + 1 buckets of a size, and at least q of each size below the greatest;
 *   - (H2) positions fall from each bucket to the next older one, and all are in the window.
 *
 * @see
 *   Datar, Gionis, Indyk, Motwani, "Maintaining Stream Statistics over Sliding Windows", section 3
 */
final class ExponentialHistogram private (val window: Long, val epsilon: Double) extends CountSummary {
  private val most = math.ceil(1 / (2 * epsilon)).toInt + 1
  private val sizes = width(window / (most - 1)) + 2

  /** For each size, a ring of `most` positions: the place of the oldest, and how many there are. */
  private val positions = new Array[Long](sizes * most)
  private val first = new Array[Int](sizes)
  private val counts = new Array[Int](sizes)
  private var greatest = 0
  private var total = 0L
  private var now = 0L

  override def insert(one: Boolean): Unit = {
    now += 1
    val size = greatest
    if (counts(size) > 0 && positions(size * most + first(size)) <= now - window) {
      removeOldest(size)
      total -= 1L << size
    }
    if (one) {
      total += 1
      add(now)
    }
    while (greatest > 0 && counts(greatest) == 0) greatest -= 1
  }

  private def add(newest: Long): Unit = {
    var position = newest
    var size = 0
    while (counts(size) == most) {
      removeOldest(size) // (H1): its ones are in the bucket that the next older one's position stands for
      val joined = removeOldest(size)
      append(size, position)
      position = joined
      size += 1
    }
    append(size, position)
    if (size > greatest) greatest = size
  }

  private def append(size: Int, position: Long): Unit = {
    val end = first(size) + counts(size)
    positions(size * most + (if (end >= most) end - most else end)) = position
    counts(size) += 1
  }

  private def removeOldest(size: Int): Long = {
    val at = first(size)
    first(size) = if (at + 1 == most) 0 else at + 1
    counts(size) -= 1
    positions(size * most + at)
  }

  private def oldestSize: Long = if (counts(greatest) == 0) 1 else 1L << greatest

  override def estimate: Double = total - (oldestSize - 1) / 2.0
  override def lower: Double = (total - oldestSize + 1).toDouble
  override def upper: Double = total.toDouble

  /** The number of buckets. */
  def buckets: Int = counts.sum

  override def bits: Long = (greatest + 1).toLong * width(most.toLong) + buckets.toLong * width(window - 1)
  override def headerBytes: Int = (header.bits / 8).toInt

  private def header: BitWriter = {
    val out = Format.writer(Format.ExponentialHistogram)
    out.writeVariable(window)
    out.writeDouble(epsilon)
    out.writeVariable(greatest.toLong)
    out
  }

  override def toBytes: Array[Byte] = {
    val out = header
    for (size <- 0 to greatest) {
      out.write(counts(size).toLong, width(most.toLong))
      for (i <- 0 until counts(size))
        out.write(now - positions(size * most + (first(size) + i) % most), width(window - 1))
    }
    out.toBytes
  }

  private def read(in: BitReader): Unit = {
    greatest = in.readVariable().toInt
    for (size <- 0 to greatest) {
      val count = in.read(width(most.toLong)).toInt
      for (_ <- 0 until count) append(size, -in.read(width(window - 1)))
      total += count.toLong << size
    }
  }

  /** For tests of (H1) and (H2): the positions of each size, oldest first, and q. */
  private[summaries] def state: (IndexedSeq[Seq[Long]], Int, Long) = {
    val all = (0 to greatest).map(size =>
      (0 until counts(size)).map(i => positions(size * most + (first(size) + i) % most))
    )
    (all, most - 1, now)
  }
}

object ExponentialHistogram {

  /**
   * A window of zeros.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `window` is not from 1 to 2^40^ or `epsilon` not from 2^-20^ and below 1
   */
  def create(window: Long, epsilon: Double): ExponentialHistogram = {
    Arguments.checkWindow(window)
    Arguments.checkRelative(epsilon)
    new ExponentialHistogram(window, epsilon)
  }

  /** The summary that [[ExponentialHistogram.toBytes]] stored. */
  def fromBytes(bytes: Array[Byte]): ExponentialHistogram = Format.read(bytes, Format.ExponentialHistogram) {
    in =>
      val count = create(in.readVariable(), in.readDouble())
      count.read(in)
      count
  }
}
