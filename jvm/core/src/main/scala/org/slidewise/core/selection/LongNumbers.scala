package org.slidewise.core.selection

/**
 * Numbers 64-bit keys and null in the order in which they first appear: an open-addressing hash table with linear probing, with a key and
 * its number in one cache line.
 *
 * Time: expected constant. Memory: 32 to 64 bytes a key, and half as much again while it grows; acquired from `budget`. Not safe
 * for concurrent use.
 */
final class LongNumbers(budget: HeapBudget) {
  import LongNumbers._

  private[this] var slots = Array.emptyLongArray // a key, and its number plus one; zero in an empty slot
  private[this] var shift = 63
  private[this] var count = 0
  private[this] var numberOfNull = -1

  /** The number of keys, null among them. */
  def size: Int = count

  /** The number that null has. */
  def ofNull(): Int = {
    if (numberOfNull < 0) {
      numberOfNull = count
      count += 1
    }
    numberOfNull
  }

  /** The number of `key`; -1 if it is new and there is no memory for it. */
  def of(key: Long): Int =
    if (slots.length == 0) add(key)
    else {
      val at = slotOf(key)
      val number = slots(at + 1).toInt - 1
      if (number >= 0) number else add(key)
    }

  /** The place in `slots` where the slot of `key` starts; if the table lacks the key, the place of the empty slot for it. */
  private def slotOf(key: Long): Int = {
    var at = (key * Multiplier >>> shift).toInt << 1
    while (slots(at + 1) != 0L && slots(at) != key) at = at + 2 & slots.length - 1
    at
  }

  private def add(key: Long): Int =
    if (4L * count < slots.length || grow()) {
      put(key, count + 1L)
      count += 1
      count - 1
    } else -1

  private def put(key: Long, value: Long): Unit = {
    val at = slotOf(key)
    slots(at) = key
    slots(at + 1) = value
  }

  private def grow(): Boolean = {
    val length = math.max(slots.length * 2L, FewestLongs)
    val granted = length <= MostLongs && budget.acquire(length * 8)
    if (granted) {
      val old = slots
      slots = new Array[Long](length.toInt)
      shift = 65 - java.lang.Long.numberOfTrailingZeros(length)
      var at = 0
      while (at < old.length) {
        if (old(at + 1) != 0L) put(old(at), old(at + 1))
        at += 2
      }
      budget.release(old.length * 8L)
    }
    granted
  }
}

private object LongNumbers {
  private val Multiplier = 0x9e3779b97f4a7c15L // 2^64 divided by the golden ratio
  private val FewestLongs = 128L
  private val MostLongs = 1L << 30
}
