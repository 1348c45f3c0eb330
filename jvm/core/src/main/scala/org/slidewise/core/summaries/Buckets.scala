package org.slidewise.core.summaries

/** Buckets ordered by first timestamp, in a growing array. Supports removal of the oldest and insertion anywhere. */
private[summaries] final class Buckets {
  private[this] var allStarts = new Array[Long](8)
  private[this] var allWeights = new Array[Long](8)
  private[this] var first = 0
  private[this] var used = 0
  private[this] var hint = 0

  def size: Int = used
  def start(i: Int): Long = allStarts(first + i)
  def weight(i: Int): Long = allWeights(first + i)
  def addWeight(i: Int, weight: Long): Unit = allWeights(first + i) += weight
  def setWeight(i: Int, weight: Long): Unit = allWeights(first + i) = weight

  /** The index of the newest bucket that begins at `time` or before; -1 if there is none. */
  def find(time: Long): Int = {
    val last = hint
    if (last < used && start(last) <= time && (last + 1 == used || start(last + 1) > time)) last
    else {
      // Binary search without branches, which would be mispredicted.
      var low = 0
      var rest = used
      while (rest > 1) {
        val half = rest >>> 1
        low += (if (allStarts(first + low + half) <= time) half else 0)
        rest -= half
      }
      hint = low
      if (used > 0 && start(low) <= time) low else -1
    }
  }

  /** Inserts a bucket before the `i`-th. Moves the shorter side of the array. */
  def insert(i: Int, start: Long, weight: Long): Unit = {
    if (first > 0 && i < used / 2) {
      move(first, first - 1, i)
      first -= 1
    } else {
      if (first + used == allStarts.length) makeRoom()
      move(first + i, first + i + 1, used - i)
    }
    allStarts(first + i) = start
    allWeights(first + i) = weight
    used += 1
  }

  def dropOldest(count: Int): Unit = {
    first += count
    used -= count
    hint = math.max(0, hint - count)
  }

  private def makeRoom(): Unit =
    if (first > allStarts.length / 4) {
      move(first, 0, used)
      first = 0
    } else {
      allStarts = java.util.Arrays.copyOf(allStarts, 2 * allStarts.length)
      allWeights = java.util.Arrays.copyOf(allWeights, 2 * allWeights.length)
    }

  private def move(from: Int, to: Int, count: Int): Unit = {
    System.arraycopy(allStarts, from, allStarts, to, count)
    System.arraycopy(allWeights, from, allWeights, to, count)
  }
}
