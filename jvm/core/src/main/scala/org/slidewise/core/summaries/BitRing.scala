package org.slidewise.core.summaries

/**
 * Ring of the last `size` bits, packed, with the number of ones among them.
 *
 * Call [[dropOldest]] and [[append]] in turns: the oldest bit can leave before the next one arrives.
 */
private[summaries] final class BitRing(val size: Int) {
  private val words = new Array[Long]((size + 63) >>> 6)

  /** The index of the next bit, and of the oldest one until it is dropped. */
  private var next = 0
  private var dropped = false
  private var total = 0L

  def ones: Long = total

  def heapBytes: Long = HeapBytes.ofObject(fields = 5) + HeapBytes.ofArray(words.length.toLong, 8)

  def oldest: Boolean = {
    val at = if (dropped && next + 1 < size) next + 1 else if (dropped) 0 else next
    (words(at >>> 6) >>> at & 1) != 0
  }

  def dropOldest(): Unit = {
    val at = next >>> 6
    val bit = words(at) >>> next & 1
    total -= bit
    words(at) ^= bit << next
    dropped = true
  }

  /** Adds a bit at the index of the oldest one, which has been dropped. */
  def append(one: Boolean): Unit = {
    if (one) {
      words(next >>> 6) |= 1L << next
      total += 1
    }
    next += 1
    if (next == size) next = 0
    dropped = false
  }

  /** The number of ones, counted again, for tests. */
  private[summaries] def counted: Long = words.map(word => java.lang.Long.bitCount(word).toLong).sum

  def write(out: BitWriter): Unit = {
    var i = 0
    var at = next
    while (i < size) {
      out.write(words(at >>> 6) >>> at & 1, 1)
      at = if (at + 1 == size) 0 else at + 1
      i += 1
    }
  }

  /** Reads bits of [[write]] into an unused ring. */
  def read(in: BitReader, dropped: Boolean): Unit = {
    var i = 0
    while (i < size) {
      append(in.read(1) != 0)
      i += 1
    }
    this.dropped = dropped
    Format.check(!dropped || (words(0) & 1) == 0)
  }
}
