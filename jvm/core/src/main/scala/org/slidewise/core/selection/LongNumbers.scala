package org.slidewise.core.selection

/**
 * Numbers 64-bit keys in the order in which they first appear: an open-addressing hash table with linear probing.
 *
 * Time: expected constant. Memory: 16 to 48 bytes a key, acquired from `budget`. Not safe for concurrent use.
 */
final class LongNumbers(budget: HeapBudget) {
  import LongNumbers._

  private[this] var keys = Array.emptyLongArray
  private[this] var table = new Array[Int](2) // the key's number plus one; zero for an empty slot
  private[this] var shift = 63
  private[this] var count = 0

  def size: Int = count

  /** The number of `key`; -1 if it is new and there is no memory for it. */
  def of(key: Long): Int = {
    var slot = (key * Multiplier >>> shift).toInt
    var number = table(slot) - 1
    while (number >= 0 && keys(number) != key) {
      slot = slot + 1 & table.length - 1
      number = table(slot) - 1
    }
    if (number >= 0) number else add(key, slot)
  }

  private def add(key: Long, slot: Int): Int =
    if (count < keys.length) {
      keys(count) = key
      count += 1
      table(slot) = count
      count - 1
    } else if (grow()) of(key)
    else -1

  /** The table has at least two slots a key, so that it is never full. */
  private def grow(): Boolean = count < MostKeys && {
    val grown = HeapBudget.grow(budget, keys.length, count + 1L, BytesAKey, BytesAKey)
    if (grown > 0) {
      keys = java.util.Arrays.copyOf(keys, math.min(grown, MostKeys))
      val slots = java.lang.Integer.highestOneBit(2 * keys.length - 1) << 1
      table = new Array[Int](slots)
      shift = 64 - java.lang.Integer.numberOfTrailingZeros(slots)
      (0 until count).foreach(insert)
    }
    grown > 0
  }

  private def insert(number: Int): Unit = {
    var slot = (keys(number) * Multiplier >>> shift).toInt
    while (table(slot) != 0) slot = slot + 1 & table.length - 1
    table(slot) = number + 1
  }
}

private object LongNumbers {
  private val Multiplier = 0x9e3779b97f4a7c15L // 2^64 divided by the golden ratio
  private val MostKeys = 1 << 29

  // A key, and two to four slots.
  private val BytesAKey = 8L + 4L * 4L
}
