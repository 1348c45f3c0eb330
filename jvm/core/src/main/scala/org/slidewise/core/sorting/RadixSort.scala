package org.slidewise.core.sorting

/**
 * Sorts rows by 64-bit keys, compared as unsigned; rows with equal keys keep their order. Keys and row numbers lie in two
 * arrays, of which any range can be sorted for itself.
 *
 * Time: a pass over the range for each digit in which its keys differ, none if they are in order already. Memory: 12 bytes
 * for each row of the longest range so far, kept from call to call. Not safe for concurrent use.
 *
 * @param checkpoint
 *   called after at most [[RadixSort.RowsBetweenCheckpoints]] rows of a pass; may throw to cancel the sort, which leaves the
 *   arrays in no defined order
 */
final class RadixSort(checkpoint: Runnable) {
  import RadixSort._

  def this() = this(() => ())

  private[this] var spareKeys = Array.emptyLongArray
  private[this] var spareRows = Array.emptyIntArray
  private[this] val start = new Array[Int](1 << WideDigit)

  /** Sorts `keys` and, alike, `rows` at the places `from until until`. */
  def sort(keys: Array[Long], rows: Array[Int], from: Int, until: Int): Unit =
    if (until - from <= FewRows) insert(keys, rows, from, until)
    else {
      val differing = differingBits(keys, from, until)
      if (differing != 0) pass(keys, rows, from, until, differing)
    }

  private def pass(keys: Array[Long], rows: Array[Int], from: Int, until: Int, differing: Long): Unit = {
    val n = until - from
    reserve(n)
    val bits = if (n < ManyRows) NarrowDigit else WideDigit
    var left = differing
    var inSpare = false
    while (left != 0) {
      val shift = java.lang.Long.numberOfTrailingZeros(left)
      if (inSpare) distribute(spareKeys, spareRows, 0, keys, rows, from, n, shift, bits)
      else distribute(keys, rows, from, spareKeys, spareRows, 0, n, shift, bits)
      inSpare = !inSpare
      left = if (shift + bits >= 64) 0L else left >>> (shift + bits) << (shift + bits)
    }
    if (inSpare) {
      System.arraycopy(spareKeys, 0, keys, from, n)
      System.arraycopy(spareRows, 0, rows, from, n)
    }
  }

  /** One stable counting pass by the digit of `bits` bits at `shift`. */
  private def distribute(
      keys: Array[Long],
      rows: Array[Int],
      from: Int,
      intoKeys: Array[Long],
      intoRows: Array[Int],
      into: Int,
      n: Int,
      shift: Int,
      bits: Int
  ): Unit = {
    val mask = (1 << bits) - 1
    val start = this.start
    java.util.Arrays.fill(start, 0, mask + 1, 0)
    var i = from
    while (i < from + n) {
      checkpoint.run()
      val until = endOfStep(i, from + n)
      while (i < until) {
        start((keys(i) >>> shift).toInt & mask) += 1
        i += 1
      }
    }
    var at = into
    var digit = 0
    while (digit <= mask) {
      val count = start(digit)
      start(digit) = at
      at += count
      digit += 1
    }
    i = from
    while (i < from + n) {
      checkpoint.run()
      val until = endOfStep(i, from + n)
      while (i < until) {
        val key = keys(i)
        val digit = (key >>> shift).toInt & mask
        val to = start(digit)
        start(digit) = to + 1
        intoKeys(to) = key
        intoRows(to) = rows(i)
        i += 1
      }
    }
  }

  private def endOfStep(from: Int, until: Int): Int =
    if (until - from <= RowsBetweenCheckpoints) until else from + RowsBetweenCheckpoints

  /**
   * Brings the rows of which `first` holds before the others, at the places `from until until`; both keep their order.
   *
   * @return
   *   the place of the first of the others
   */
  def partition(keys: Array[Long], rows: Array[Int], from: Int, until: Int, first: RowPredicate): Int = {
    reserve(until - from)
    var kept = from
    var moved = 0
    var i = from
    while (i < until) {
      if (first(rows(i))) {
        keys(kept) = keys(i)
        rows(kept) = rows(i)
        kept += 1
      } else {
        spareKeys(moved) = keys(i)
        spareRows(moved) = rows(i)
        moved += 1
      }
      i += 1
    }
    System.arraycopy(spareKeys, 0, keys, kept, moved)
    System.arraycopy(spareRows, 0, rows, kept, moved)
    kept
  }

  private def reserve(n: Int): Unit = if (spareKeys.length < n) {
    val room = math.max(n.toLong, math.min(2L * spareKeys.length, MostRows)).toInt
    spareKeys = new Array[Long](room)
    spareRows = new Array[Int](room)
  }
}

/** Tells rows apart by their number. */
trait RowPredicate {
  def apply(row: Int): Boolean
}

object RadixSort {

  /** After how many rows of a pass a sort calls its checkpoint at the latest. */
  final val RowsBetweenCheckpoints = 1 << 20

  /** The memory that sorting takes beyond the two arrays, in bytes for each row of the longest range, at most twice over. */
  val BytesARow: Long = 8 + 4

  // Measured: where insertion, and narrow digits, stop being faster.
  private final val FewRows = 24
  private final val ManyRows = 1 << 13
  private final val NarrowDigit = 8
  private final val WideDigit = 11
  private final val MostRows = Int.MaxValue - 16L

  private def insert(keys: Array[Long], rows: Array[Int], from: Int, until: Int): Unit = {
    var i = from + 1
    while (i < until) {
      val key = keys(i)
      val row = rows(i)
      var at = i
      while (at > from && java.lang.Long.compareUnsigned(keys(at - 1), key) > 0) {
        keys(at) = keys(at - 1)
        rows(at) = rows(at - 1)
        at -= 1
      }
      keys(at) = key
      rows(at) = row
      i += 1
    }
  }

  /** None, if the keys are in order already. */
  private def differingBits(keys: Array[Long], from: Int, until: Int): Long = {
    val first = keys(from)
    var differing = 0L
    var sorted = true
    var i = from + 1
    while (i < until) {
      differing |= keys(i) ^ first
      sorted &= java.lang.Long.compareUnsigned(keys(i - 1), keys(i)) <= 0
      i += 1
    }
    if (sorted) 0L else differing
  }
}
