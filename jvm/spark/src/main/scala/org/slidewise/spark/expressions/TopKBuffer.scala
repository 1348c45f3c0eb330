package org.slidewise.spark.expressions

/**
 * The first `k` elements by `precedes`, in that order; of equal elements, the one that was added first.
 *
 * '''Cost.''' `add` takes O(log k) comparisons and O(k) moves, `addAll` O(k) of both. Holds at most `k` elements. Not
 * thread-safe.
 *
 * @param precedes
 *   whether the first element ranks before the second
 * @see
 *   Dani, Getta, "Incremental computation of aggregate operators over sliding windows"
 */
final class TopKBuffer(k: Int, precedes: (Any, Any) => Boolean) {
  private var items = new Array[Any](math.min(k, 4))
  private var count = 0

  def size: Int = count
  def toArray: Array[Any] = items.take(count)

  /** Whether `add` would keep the element. */
  def accepts(element: Any): Boolean = count < k || precedes(element, items(count - 1))

  /** Adds an element that came after all others. */
  def add(element: Any): Unit = if (accepts(element)) {
    var (low, high) = (0, count)
    while (low < high) {
      val middle = (low + high) >>> 1
      if (precedes(element, items(middle))) high = middle else low = middle + 1
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

  /** Adds the elements of `newer`, all of which came later, without changing `newer`. */
  def addAll(newer: TopKBuffer): Unit = if (newer.count > 0 && accepts(newer.items(0))) {
    val merged = new Array[Any](math.min(k, count + newer.count))
    var (i, j) = (0, 0)
    while (i + j < merged.length) {
      val takeNewer = i == count || (j < newer.count && precedes(newer.items(j), items(i)))
      merged(i + j) = if (takeNewer) newer.items(j) else items(i)
      if (takeNewer) j += 1 else i += 1
    }
    items = merged
    count = merged.length
  }

  /** Appends an element that precedes no other. */
  def append(element: Any): Unit = {
    if (count == items.length) items = items ++ new Array[Any](math.max(1, math.min(k - count, count)))
    items(count) = element
    count += 1
  }
}
