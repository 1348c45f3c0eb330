package org.slidewise.core.summaries

import Arguments.{ceilDiv, width}
import org.slidewise.core.Evolving

/**
 * Deterministic wave: the sum of the last W whole numbers from 0 to R, or the number of ones (R = 1), within a relative error
 * of ε and in O(1) in the worst case.
 *
 * Let z be the sum of all values so far. An element of value v that increases z from z - v is of level j if this passes a
 * multiple of 2^j^ and none of 2^j+1^, but at most of level T. Each level stores its newest q + 1 elements with their position, v
 * and z, q = ⌈1 / (2 ε)⌉. Level T stores all of its elements in the window. All levels together form one list by position.
 *
 * '''Estimate.''' Let z,,1,, be the sum up to the newest element that left the window while it was in the list, and
 * z,,2,, - v,,2,, the sum before the oldest element of the list. The sum of the window is from z - (z,,2,, - v,,2,,) to z - z,,1,,.
 * The estimate is the centre.
 *
 * '''Error.''' If all elements between the two have values of 0, the estimate is exact. Otherwise let j - 1 be their highest
 * level. They pass no multiple of 2^j^, so the gap is below 2^j^. Their last element of that level was replaced by q + 1 newer
 * ones, which are in the window. From each of these to the next, z passes 2^j^, so that the sum is at least q 2^j^ + 1, and half
 * the gap at most ε of it. Level T replaces no element: W R / 2^T^ + 2 are enough for the window.
 *
 * '''Stored bits:''' ⌈log,,2,, W⌉ for the age of an element, ⌈log,,2,,(W R + 1)⌉ for z and ⌈log,,2,, R⌉ for v, for at most
 * (q + 1) T + q + 2 elements with 2^T^ < 2 W R / q: O(log(ε W R) (log W + log R) / ε). '''Memory:''' arrays for that many
 * elements from creation on. '''Cost:''' insert and query O(1) in the worst case. Not safe for concurrent use.
 *
 * Invariants, between calls:
 *   - (V1) the list has all stored elements by position, and all are in the window;
 *   - (V2) if the newest element with v > 0 is in the window, it is in the list.
 *
 * @see
 *   Gibbons, Tirthapura, "Distributed Streams Algorithms for Sliding Windows", sections 3.2 and 3.3
 */
@Evolving
final class DeterministicWave private (val window: Long, val upperBound: Long, val epsilon: Double)
    extends SumSummary
    with CountSummary {
  private val q = DeterministicWave.newest(epsilon)
  private val greatest = window * upperBound
  private val top = DeterministicWave.top(greatest, q)
  private val room = (q + 1).toInt
  private val topRoom = DeterministicWave.topRoom(greatest, q)
  private val slots = DeterministicWave.slots(greatest, q)

  private val positions = new Array[Long](slots)
  private val values = new Array[Long](slots)
  private val sums = new Array[Long](slots)
  private val levels = new Array[Byte](slots)
  private val older = new Array[Int](slots)
  private val newer = new Array[Int](slots)
  private val first = new Array[Int](top + 1)
  private val counts = new Array[Int](top + 1)

  private var oldest = -1
  private var newest = -1
  private var now = 0L

  /** z modulo 2^64^: only differences and the lowest T bits are used. */
  private var sum = 0L
  private var sumGone = 0L

  override def insert(one: Boolean): Unit = insert(if (one) 1L else 0L)

  override def insert(value: Long): Unit = {
    if (value < 0 || value > upperBound)
      Arguments.outside("value", value, s"from 0 to the upperBound $upperBound")
    now += 1
    if (oldest >= 0 && positions(oldest) <= now - window) {
      sumGone = sums(oldest)
      removeOldestOf(levels(oldest).toInt)
    }
    if (value > 0) {
      sum += value
      add(now, value, sum)
    }
  }

  private def levelOf(value: Long, z: Long): Int =
    math.min(top, 63 - java.lang.Long.numberOfLeadingZeros(z ^ (z - value)))

  private def add(position: Long, value: Long, z: Long): Unit = {
    val level = levelOf(value, z)
    val most = if (level == top) topRoom else room
    if (counts(level) == most) removeOldestOf(level)
    val end = first(level) + counts(level)
    val slot = level * room + (if (end >= most) end - most else end)
    counts(level) += 1
    positions(slot) = position
    values(slot) = value
    sums(slot) = z
    levels(slot) = level.toByte
    older(slot) = newest
    newer(slot) = -1
    if (newest >= 0) newer(newest) = slot else oldest = slot
    newest = slot
  }

  private def removeOldestOf(level: Int): Unit = {
    val slot = level * room + first(level)
    first(level) = if (first(level) + 1 == (if (level == top) topRoom else room)) 0 else first(level) + 1
    counts(level) -= 1
    val (before, after) = (older(slot), newer(slot))
    if (before >= 0) newer(before) = after else oldest = after
    if (after >= 0) older(after) = before else newest = before
  }

  private def least: Long = if (oldest < 0) 0 else sum - sums(oldest) + values(oldest)
  private def most: Long = if (oldest < 0) 0 else sum - sumGone
  private def mostInWindow: Long = math.min(greatest, most)

  override def estimate: Double = (least + mostInWindow) / 2.0
  override def lower: Double = least.toDouble
  override def upper: Double = mostInWindow.toDouble

  /** The number of stored elements. */
  def entries: Int = counts.sum

  private def goneWidth = width(greatest + (1L << top))
  private def entryBits = width(window - 1) + width(greatest) + width(upperBound - 1)

  override def bits: Long =
    top.toLong + goneWidth + width(slots.toLong) + entries.toLong * entryBits
  override def headerBytes: Int = (header.bits / 8).toInt
  override def heapBytes: Long = HeapBytes.ofObject(fields = 22) + 3 * HeapBytes.ofArray(slots.toLong, 8) +
    HeapBytes.ofArray(slots.toLong, 1) + 2 * HeapBytes.ofArray(slots.toLong, 4) +
    2 * HeapBytes.ofArray(top + 1L, 4)

  private def header: BitWriter = {
    val out = Format.writer(Format.DeterministicWave)
    out.writeVariable(window)
    out.writeVariable(upperBound)
    out.writeDouble(epsilon)
    out
  }

  override def toBytes: Array[Byte] = {
    val out = header
    out.write(sum, top)
    out.write(most, goneWidth)
    out.write(entries.toLong, width(slots.toLong))
    var slot = oldest
    while (slot >= 0) {
      out.write(now - positions(slot), width(window - 1))
      out.write(sum - sums(slot), width(greatest))
      out.write(values(slot) - 1, width(upperBound - 1))
      slot = newer(slot)
    }
    out.toBytes
  }

  private def read(in: BitReader): Unit = {
    sum = in.read(top)
    val gone = in.read(goneWidth)
    Format.check(gone >= 0 && gone <= greatest + (1L << top))
    sumGone = sum - gone
    val entries = in.read(width(slots.toLong)).toInt
    Format.check(entries <= slots && (entries > 0 || gone == 0))
    var (before, notAfter) = (window, gone)
    for (_ <- 0 until entries) {
      val age = in.read(width(window - 1))
      val behind = in.read(width(greatest))
      val value = in.read(width(upperBound - 1)) + 1
      Format.check(
        age < before && value <= upperBound && behind + value <= math.min((age + 1) * upperBound, notAfter)
      )
      val level = levelOf(value, sum - behind)
      Format.check(counts(level) < (if (level == top) topRoom else room))
      add(-age, value, sum - behind)
      before = age
      notAfter = behind
    }
    Format.check(entries == 0 || gone - least < (1L << top))
  }

  /** For tests of (V1) and (V2): age and value of each stored element, oldest first. */
  private[summaries] def state: Seq[(Long, Long)] =
    Iterator.iterate(oldest)(newer(_)).takeWhile(_ >= 0).map(i => (now - positions(i), values(i))).toSeq
}

object DeterministicWave {

  /** Creates a summary of a window of zeros, to count ones. */
  def create(window: Long, epsilon: Double): DeterministicWave = create(window, 1, epsilon)

  /**
   * Creates a summary of a window of zeros, to sum numbers up to `upperBound`.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `window` is not from 1 to 2^40^, `upperBound` not from 1, `epsilon` not from 2^-20^ and below 1, or
   *   `window * upperBound` above 2^60^, or if they need more than 128 MiB
   */
  def create(window: Long, upperBound: Long, epsilon: Double): DeterministicWave = {
    Arguments.checkRelativeSum(window, upperBound, epsilon)
    Arguments.checkHeap(BytesASlot * slots(window * upperBound, newest(epsilon)), window, epsilon)
    new DeterministicWave(window, upperBound, epsilon)
  }

  /** The bytes of an element in the arrays. */
  private val BytesASlot = 33L

  private def newest(epsilon: Double): Long = math.ceil(1 / (2 * epsilon)).toLong
  private def top(greatest: Long, q: Long): Int = width(ceilDiv(greatest, q) - 1)
  private def topRoom(greatest: Long, q: Long): Int = (ceilDiv(greatest, 1L << top(greatest, q)) + 2).toInt
  private def slots(greatest: Long, q: Long): Int =
    top(greatest, q) * (q + 1).toInt + topRoom(greatest, q)

  /**
   * Reads a summary that [[DeterministicWave.toBytes]] stored.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `bytes` is no such summary
   */
  def fromBytes(bytes: Array[Byte]): DeterministicWave = Format.read(bytes, Format.DeterministicWave) { in =>
    val wave = create(in.readVariable(), in.readVariable(), in.readDouble())
    wave.read(in)
    wave
  }
}
