package org.slidewise.core.summaries

/** Buckets of one size, oldest first, in a ring of runs. The buckets of a run have the same position. */
private[summaries] final class BucketRuns(capacity: Int) {
  private[this] val positions = new Array[Long](capacity)
  private[this] val lengths = new Array[Long](capacity)
  private[this] var first = 0
  private[this] var runs = 0
  private[this] var buckets = 0L

  /** The number of buckets. */
  def size: Long = buckets

  def isEmpty: Boolean = buckets == 0

  def heapBytes: Long = HeapBytes.ofObject(fields = 6) + 2 * HeapBytes.ofArray(capacity.toLong, 8)

  def oldestPosition: Long = positions(first)

  /** The number of buckets at the oldest position. */
  def oldestLength: Long = lengths(first)

  /** Adds `count` buckets that are at least as new as all others. */
  def append(position: Long, count: Long): Unit = {
    val newest = place(runs - 1)
    if (buckets > 0 && positions(newest) == position) lengths(newest) += count
    else {
      val at = place(runs)
      positions(at) = position
      lengths(at) = count
      runs += 1
    }
    buckets += count
  }

  /** Removes `count` of the buckets at the oldest position. */
  def removeOldest(count: Long): Unit = {
    buckets -= count
    lengths(first) -= count
    if (lengths(first) == 0) {
      first = place(1)
      runs -= 1
    }
  }

  /** Moves all buckets to `to`, which must not have newer ones. */
  def moveTo(to: BucketRuns): Unit = while (!isEmpty) {
    to.append(oldestPosition, oldestLength)
    removeOldest(oldestLength)
  }

  /** The position of each bucket, oldest first. */
  def allPositions: Iterator[Long] =
    (0 until runs).iterator.flatMap(i => Iterator.fill(lengths(place(i)).toInt)(positions(place(i))))

  /** The index of a run; -1 means none. */
  private def place(run: Int): Int = {
    val i = first + run
    if (i >= capacity) i - capacity else math.max(i, 0)
  }
}
