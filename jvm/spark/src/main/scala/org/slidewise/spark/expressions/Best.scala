package org.slidewise.spark.expressions

/**
 * At most `k` elements, best first; of equally good ones, those that came first.
 *
 * '''Cost.''' An added element O(log k) comparisons and O(k) moves, a merge O(k) of both; space for `k` elements at most.
 *
 * @param beats
 *   that the one element is better than the other
 * @see
 *   Dani, Getta, "Incremental computation of aggregate operators over sliding windows"
 */
final class Best(k: Int, beats: (Any, Any) => Boolean) {
  private var items = new Array[Any](math.min(k, 4))
  private var count = 0

  def size: Int = count
  def toArray: Array[Any] = items.take(count)

  /** Whether an element would stay, were it added. */
  def takes(element: Any): Boolean = count < k || beats(element, items(count - 1))

  /** Adds an element that came after all others. */
  def add(element: Any): Unit = if (takes(element)) {
    var (low, high) = (0, count)
    while (low < high) {
      val middle = (low + high) >>> 1
      if (beats(element, items(middle))) high = middle else low = middle + 1
    }
    if (count < k) {
      if (count == items.length)
        items = java.util.Arrays
          .copyOf(items.asInstanceOf[Array[AnyRef]], math.min(k, 2 * count))
          .asInstanceOf[Array[Any]]
      count += 1
    }
    System.arraycopy(items, low, items, low + 1, count - 1 - low)
    items(low) = element
  }

  /** Adds the elements of `newer`, all of which came later, and leaves that as it is. */
  def addAll(newer: Best): Unit = if (newer.count > 0 && takes(newer.items(0))) {
    val merged = new Array[Any](math.min(k, count + newer.count))
    var (i, j) = (0, 0)
    while (i + j < merged.length) {
      val takeNewer = i == count || (j < newer.count && beats(newer.items(j), items(i)))
      merged(i + j) = if (takeNewer) newer.items(j) else items(i)
      if (takeNewer) j += 1 else i += 1
    }
    items = merged
    count = merged.length
  }

  /** Appends an element that is known to be no better than all others. */
  def append(element: Any): Unit = {
    if (count == items.length) items = items ++ new Array[Any](math.max(1, math.min(k - count, count)))
    items(count) = element
    count += 1
  }
}
