package org.slidewise.core.multisets

/** Multiset that tells its subclasses when the first of equal elements enters, and when the last leaves. */
abstract class DistinctMultiset private[multisets] () extends SlidingMultiset {
  private[this] var counts = Array.emptyIntArray

  /** The code is now in the frame. */
  private[multisets] def appear(code: Int): Unit

  /** The code is in the frame no more. */
  private[multisets] def disappear(code: Int): Unit

  private[multisets] final def clearCounts(cardinality: Int): Unit =
    counts = SlidingMultiset.zeros(counts, cardinality)

  private[multisets] final def add(code: Int): Unit = {
    val counts = this.counts
    val before = counts(code)
    counts(code) = before + 1
    if (before == 0) appear(code)
  }

  private[multisets] final def remove(code: Int): Unit = {
    val counts = this.counts
    val after = counts(code) - 1
    counts(code) = after
    if (after == 0) disappear(code)
  }
}
