package org.slidewise.core.selection

/**
 * A rule for which rows of a group are its first `n`.
 *
 * @param keepsTies
 *   whether rows that tie with the last of the first rows count, too
 * @param isDistinct
 *   whether rows that tie count as one
 */
sealed abstract class FirstRows(val keepsTies: Boolean, val isDistinct: Boolean) extends Serializable

object FirstRows {

  /** `n` rows; of rows that tie, the oldest. Selects the rows of `row_number() <= n`. */
  case object ByRowNumber extends FirstRows(keepsTies = false, isDistinct = false)

  /** The rows that have fewer than `n` rows before them. Selects the rows of `rank() <= n`. */
  case object ByRank extends FirstRows(keepsTies = true, isDistinct = false)

  /** The rows with the `n` smallest distinct values. Selects the rows of `dense_rank() <= n`. */
  case object ByDenseRank extends FirstRows(keepsTies = true, isDistinct = true)
}

/** The order among rows whose 64-bit values are equal. */
trait TieOrder[K <: AnyRef] {
  def compare(a: K, b: K): Int

  /** A copy of `key` that stays valid after the call. */
  def copy(key: K): K

  /** The heap memory of a kept key, in bytes. */
  def bytes(key: K): Long
}

/**
 * The `n` smallest values of each group. Tells which arriving rows are not among the first `n` of their group.
 *
 * Holds values, not rows. The caller keeps the rows that [[offer]] accepts, and drops a row once [[keeps]] is false for it. The
 * kept rows are always a superset of the first rows.
 *
 * Time: one comparison for most rows that are not accepted. Any other row takes a binary search and a move of at most `n` values.
 * Memory: 16 to 32 bytes a group and 8 to 32 bytes a value, plus the keys of `ties`; acquired from `budget`. Not safe for concurrent
 * use.
 *
 * @param inexact
 *   a value that stands for several values: without `ties`, two rows that have it are not known to tie
 * @param ties
 *   the order of rows with equal values; none if the values determine the order
 */
final class SmallestPerGroup[K <: AnyRef](
    n: Int,
    first: FirstRows,
    inexact: Long,
    ties: Option[TieOrder[K]],
    budget: HeapBudget
) {
  import SmallestPerGroup._
  require(n > 0, s"n = $n must be positive")

  private[this] val tieOrder = ties.orNull
  private[this] val valueBytes = if (ties.isEmpty) 8L else 16L

  // For each group: where its values start, how many it has, and the largest value once these are n.
  private[this] var starts, sizes = Array.emptyIntArray
  private[this] var limits = Array.emptyLongArray
  private[this] var groupCount = 0

  // The values of a group in order, oldest first if they tie. A group that outgrows its room moves to the end.
  private[this] var values = Array.emptyLongArray
  private[this] var keys = Array.empty[AnyRef]
  private[this] var used = 0

  private[this] var count = 0L
  private[this] var keyBytes, grantedKeyBytes = 0L

  def groups: Int = groupCount

  /** The number of values that are held. */
  def size: Long = count

  /** Whether a row with this value is not among the first of its group, whatever its key. */
  def isAfter(group: Int, value: Long): Boolean = group < groupCount && value > limits(group)

  /**
   * Takes the value of a row.
   *
   * @param group
   *   the number of the row's group; [[groups]] starts a new group, and greater numbers are not allowed
   * @return
   *   [[SmallestPerGroup.Accepted]] if the row is, so far, one of the first of its group, [[SmallestPerGroup.Rejected]] if it
   *   never will be, or [[SmallestPerGroup.Refused]] if there is no memory for it
   */
  def offer(group: Int, value: Long, key: K): Int =
    if (group == groupCount && !addGroup()) Refused
    else if (sizes(group) < n) place(group, value, key)
    else {
      val order = compare(value, key, starts(group) + n - 1)
      if (order < 0) place(group, value, key)
      else if (order == 0 && (first.keepsTies || value == inexact && tieOrder == null)) Accepted
      else Rejected
    }

  /** Whether a row that was accepted may still be one of the first of its group. */
  def keeps(group: Int, value: Long, key: K): Boolean =
    sizes(group) < n || compare(value, key, starts(group) + n - 1) <= 0

  private def compare(value: Long, key: K, at: Int): Int =
    if (value != values(at)) { if (value < values(at)) -1 else 1 }
    else if (tieOrder == null) 0
    else tieOrder.compare(key, keys(at).asInstanceOf[K])

  private def place(group: Int, value: Long, key: K): Int = {
    val at = placeOf(group, value, key)
    if (first.isDistinct && at > 0 && compare(value, key, starts(group) + at - 1) == 0) Accepted
    else if (sizes(group) < n && !makeRoom(group) || tieOrder != null && !addKeyBytes(key)) Refused
    else {
      insert(group, at, value, key)
      Accepted
    }
  }

  /** The number of the group's values that come before this value or tie with it. */
  private def placeOf(group: Int, value: Long, key: K): Int = {
    val start = starts(group)
    var low = 0
    var high = sizes(group)
    while (low < high) {
      val middle = low + high >>> 1
      if (compare(value, key, start + middle) < 0) high = middle else low = middle + 1
    }
    low
  }

  private def insert(group: Int, at: Int, value: Long, key: K): Unit = {
    val start = starts(group)
    val full = sizes(group) == n
    val size = if (full) n else sizes(group) + 1
    val moved = size - 1 - at
    if (tieOrder != null) {
      if (full) keyBytes -= tieOrder.bytes(keys(start + n - 1).asInstanceOf[K])
      System.arraycopy(keys, start + at, keys, start + at + 1, moved)
      keys(start + at) = tieOrder.copy(key)
    }
    System.arraycopy(values, start + at, values, start + at + 1, moved)
    values(start + at) = value
    if (!full) {
      sizes(group) = size
      count += 1
    }
    if (size == n) limits(group) = values(start + n - 1)
  }

  private def addGroup(): Boolean = {
    if (groupCount == starts.length) {
      val grown = HeapBudget.grow(budget, groupCount, groupCount + 1L, GroupBytes, LongBytes)
      if (grown > 0) {
        starts = java.util.Arrays.copyOf(starts, grown)
        sizes = java.util.Arrays.copyOf(sizes, grown)
        limits = java.util.Arrays.copyOf(limits, grown)
      }
    }
    groupCount < starts.length && {
      limits(groupCount) = Long.MaxValue
      groupCount += 1
      true
    }
  }

  /** Makes room for one more value of the group: twice the room, so that a group moves O(log n) times. */
  private def makeRoom(group: Int): Boolean = {
    val size = sizes(group)
    size != roomFor(size) || {
      val room = roomFor(size + 1)
      val reserved = used.toLong + room <= values.length || reserve(used.toLong + room)
      if (reserved) {
        System.arraycopy(values, starts(group), values, used, size)
        if (tieOrder != null) {
          System.arraycopy(keys, starts(group), keys, used, size)
          java.util.Arrays.fill(keys, starts(group), starts(group) + size, null)
        }
        starts(group) = used
        used += room
      }
      reserved
    }
  }

  private def roomFor(size: Int): Int =
    if (size <= SmallestRoom) { if (size == 0) 0 else math.min(n, SmallestRoom) }
    else math.min(n.toLong, java.lang.Integer.highestOneBit(size - 1) * 2L).toInt

  private def reserve(entries: Long): Boolean = {
    val grown = HeapBudget.grow(budget, values.length, entries, valueBytes, LongBytes)
    if (grown > 0) {
      values = java.util.Arrays.copyOf(values, grown)
      if (tieOrder != null) keys = java.util.Arrays.copyOf(keys, grown)
    }
    grown > 0
  }

  private def addKeyBytes(key: K): Boolean = {
    val needed = keyBytes + tieOrder.bytes(key)
    if (needed > grantedKeyBytes) {
      val step = math.max(needed - grantedKeyBytes, KeyBytesAtOnce)
      if (budget.acquire(step)) grantedKeyBytes += step
    }
    needed <= grantedKeyBytes && {
      keyBytes = needed
      true
    }
  }
}

object SmallestPerGroup {

  /** The results of [[SmallestPerGroup.offer]]. */
  final val Rejected = 0
  final val Accepted = 1
  final val Refused = -1

  private final val SmallestRoom = 4
  private val LongBytes = 8L
  private val GroupBytes = 16L
  private val KeyBytesAtOnce = 64L << 10
}
