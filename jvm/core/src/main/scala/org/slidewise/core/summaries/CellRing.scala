package org.slidewise.core.summaries

/** Ring of the last `size` numbers of `cellWidth` bits each, packed, with their sum. */
private[summaries] final class CellRing(size: Int, cellWidth: Int) {
  private val words = new Array[Long](((size.toLong * cellWidth + 63) >>> 6).toInt + 1)
  private val mask = -1L >>> (64 - cellWidth)
  private var next = 0
  private var sum = 0L

  def total: Long = sum

  def heapBytes: Long = HeapBytes.ofObject(fields = 6) + HeapBytes.ofArray(words.length.toLong, 8)

  /** Replaces the oldest number, initially 0. */
  def append(value: Long): Unit = {
    val bit = next.toLong * cellWidth
    val word = (bit >>> 6).toInt
    val shift = (bit & 63).toInt
    val old = at(word, shift)
    sum += value - old
    words(word) ^= (old ^ value) << shift
    if (shift + cellWidth > 64) words(word + 1) ^= (old ^ value) >>> (64 - shift)
    next += 1
    if (next == size) next = 0
  }

  private def at(word: Int, shift: Int): Long = {
    val low = words(word) >>> shift
    (if (shift + cellWidth > 64) low | words(word + 1) << (64 - shift) else low) & mask
  }

  private def get(i: Int): Long = {
    val bit = i.toLong * cellWidth
    at((bit >>> 6).toInt, (bit & 63).toInt)
  }

  /** The sum, added again, for tests. */
  private[summaries] def counted: Long = (0 until size).map(get).sum

  def write(out: BitWriter): Unit = {
    var i = 0
    var at = next
    while (i < size) {
      out.write(get(at), cellWidth)
      at = if (at + 1 == size) 0 else at + 1
      i += 1
    }
  }

  /** Reads numbers of [[write]], from 0 to `greatest`, into an unused ring. */
  def read(in: BitReader, greatest: Long): Unit = {
    var i = 0
    while (i < size) {
      val value = in.read(cellWidth)
      Format.check(value >= 0 && value <= greatest)
      append(value)
      i += 1
    }
  }
}
