package org.slidewise.core.sorting

/**
 * Stable radix sort of rows by unsigned 64-bit keys. Keys and row numbers are in two arrays, of which any range can be sorted
 * separately.
 *
 * Time: one pass over the range for each digit in which its keys differ; none if the keys are sorted. Memory: 12 bytes for each
 * row of the longest range so far, at most twice over, kept between calls. Not safe for concurrent use.
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

  /** Sorts the range `from until until` of `keys`, and moves `rows` accordingly. */
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
   * Moves the rows for which `first` holds before the others in the range `from until until`. Stable.
   *
   * @return
   *   the index of the first of the others
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

/** Predicate on row numbers. */
trait RowPredicate {
  def apply(row: Int): Boolean
}

object RadixSort {

  /** The most rows of a pass between two calls of the checkpoint. */
  final val RowsBetweenCheckpoints = 1 << 20

  /** The scratch memory in bytes for each row of the longest range. The scratch arrays may have room for twice as many rows. */
  val BytesARow: Long = 8 + 4

  // Measured: insertion sort is faster up to FewRows, and narrow digits below ManyRows.
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

  /** The bits in which the keys differ; 0 if the keys are sorted. */
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
