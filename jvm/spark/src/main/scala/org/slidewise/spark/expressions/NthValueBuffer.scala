package org.slidewise.spark.expressions

/**
 * The first `n` elements of a sequence, or the last `n`.
 *
 * '''Cost.''' `add` takes constant time, `addAll` O(n). Holds at most `n` elements. Not thread-safe.
 */
final private[expressions] class NthValueBuffer(n: Int, fromEnd: Boolean) {
  private[this] var items = new Array[Any](math.min(n, 4))
  private[this] var count = 0

  /** The place of the oldest element in `items`. */
  private[this] var start = 0

  def size: Int = count

  /** The `i`th element. The oldest element is the 0th. */
  def apply(i: Int): Any = {
    val at = start + i
    items(if (at < items.length) at else at - items.length)
  }

  /** Whether `add` would keep the element. */
  def accepts: Boolean = fromEnd || count < n

  /** Adds an element that came after all others. */
  def add(element: Any): Unit =
    if (count < n) {
      if (count == items.length) items = items ++ new Array[Any](math.min(n - count, count))
      items(count) = element
      count += 1
    } else if (fromEnd) {
      items(start) = element
      start = if (start + 1 == n) 0 else start + 1
    }

  /** Adds the elements of `newer`, all of which came later, without changing `newer`. */
  def addAll(newer: NthValueBuffer): Unit = {
    var i = 0
    while (i < newer.size && accepts) {
      add(newer(i))
      i += 1
    }
  }

  def toArray: Array[Any] = Array.tabulate(count)(apply)
}
