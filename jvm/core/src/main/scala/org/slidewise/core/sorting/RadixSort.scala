package org.slidewise.core.sorting

/**
 * Stable radix sort of rows by unsigned 64-bit keys. Keys and row numbers are in two arrays, of which any range can be sorted
 * separately. Keys that differ in few digits are sorted from the last digit to the first. Other keys are distributed by their first
 * bits, into about as many buckets as there are keys, and each bucket is sorted by itself.
 *
 * Time: at most one pass over the range for each digit in which its keys differ, of fewer bits the fewer the keys; about two for
 * keys that are spread evenly; none if the keys are sorted. Memory: 12 bytes for each row of the longest range so far, at most twice
 * over, and up to 32 KiB, kept between calls. Not safe for concurrent use.
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
  private[this] var start = Array.emptyIntArray // by digit: where its next key goes

  /** Sorts the range `from until until` of `keys`, and moves `rows` accordingly. */
  def sort(keys: Array[Long], rows: Array[Int], from: Int, until: Int): Unit =
    if (until - from <= FewRows) insert(keys, rows, from, until)
    else {
      val differing = differingBits(keys, from, until)
      val few = if (until - from < RowsForPasses) 1 else 2
      if (passes(differing, digitOf(until - from)) > few) fromFirst(keys, rows, from, until, differing)
      else if (differing != 0) fromLast(keys, rows, from, until, differing)
    }

  private def digitOf(rows: Int): Int = if (rows < ManyRows) NarrowDigit else WideDigit

  /** Sorts by the first bits in which keys differ, then each bucket. */
  private def fromFirst(keys: Array[Long], rows: Array[Int], from: Int, until: Int, differing: Long): Unit = {
    val n = until - from
    reserve(n)
    val bits = math.min(if (n < RowsInCache) WidestDigit else WideDigit, 32 - Integer.numberOfLeadingZeros(n))
    val shift = math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(differing) - bits)
    val most = distribute(keys, rows, from, spareKeys, spareRows, 0, n, shift, bits)
    copyBack(keys, rows, from, n)
    if (most <= FewRows) insert(keys, rows, from, until)
    else {
      var i = from
      while (i < until) {
        val bucket = keys(i) >>> shift
        var end = i + 1
        while (end < until && keys(end) >>> shift == bucket) end += 1
        if (end - i > 1) sort(keys, rows, i, end)
        i = end
      }
    }
  }

  private def fromLast(keys: Array[Long], rows: Array[Int], from: Int, until: Int, differing: Long): Unit = {
    val n = until - from
    reserve(n)
    val bits = digitOf(n)
    var left = differing
    var inSpare = false
    while (left != 0) {
      val shift = java.lang.Long.numberOfTrailingZeros(left)
      if (inSpare) distribute(spareKeys, spareRows, 0, keys, rows, from, n, shift, bits)
      else distribute(keys, rows, from, spareKeys, spareRows, 0, n, shift, bits)
      inSpare = !inSpare
      left = above(left, shift + bits)
    }
    if (inSpare) copyBack(keys, rows, from, n)
  }

  private def copyBack(keys: Array[Long], rows: Array[Int], into: Int, n: Int): Unit = {
    System.arraycopy(spareKeys, 0, keys, into, n)
    System.arraycopy(spareRows, 0, rows, into, n)
  }

  /** One stable counting pass by the digit of `bits` bits at `shift`. Returns the most keys that have the same digit. */
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
  ): Int = {
    val mask = (1 << bits) - 1
    if (this.start.length <= mask) this.start = new Array[Int](mask + 1)
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
    var most = 0
    var digit = 0
    while (digit <= mask) {
      val count = start(digit)
      most = math.max(most, count)
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
    most
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
    copyBack(keys, rows, kept, moved)
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

  // Measured: insertion sort is faster up to FewRows, and narrow digits below ManyRows. Buckets are faster than a second pass below
  // RowsForPasses, and than a third; the more buckets the better, as long as the rows stay in the cache.
  private final val FewRows = 24
  private final val ManyRows = 1 << 13
  private final val NarrowDigit = 8
  private final val WideDigit = 11
  private final val WidestDigit = 13
  private final val RowsForPasses = 512
  private final val RowsInCache = 1 << 16
  private final val MostRows = Int.MaxValue - 16L

  /** The bits from the bit `first` on. */
  private def above(bits: Long, first: Int): Long = if (first >= 64) 0L else bits >>> first << first

  /** The number of digits of `bits` bits in which keys differ. */
  private def passes(differing: Long, bits: Int): Int = {
    var left = differing
    var count = 0
    while (left != 0) {
      left = above(left, java.lang.Long.numberOfTrailingZeros(left) + bits)
      count += 1
    }
    count
  }

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
