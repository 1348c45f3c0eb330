package org.slidewise.core.selection

/** Grants memory for arrays and objects on the heap. */
trait HeapBudget {

  /** Grants all of `bytes`, or nothing and returns false. */
  def acquire(bytes: Long): Boolean

  /** Takes back `bytes` that were granted. */
  def release(bytes: Long): Unit
}

private[selection] object HeapBudget {
  private val MostEntries = Int.MaxValue - 16
  private val FewestEntries = 64

  /**
   * The size to which arrays of `size` entries grow, of which `needed` are in use; or -1 if that is too long for an array, or
   * the memory is refused. One array at a time is copied.
   *
   * @param bytesAnEntry
   *   the bytes an entry of all arrays that grow together
   * @param copiedBytes
   *   the bytes an entry of the widest of these arrays
   */
  def grow(budget: HeapBudget, size: Int, needed: Long, bytesAnEntry: Long, copiedBytes: Long): Int = {
    val grown = math.min(math.max(math.max(needed, size * 2L), FewestEntries.toLong), MostEntries.toLong)
    val copied = size * copiedBytes
    if (grown >= needed && budget.acquire((grown - size) * bytesAnEntry + copied)) {
      budget.release(copied)
      grown.toInt
    } else -1
  }
}
