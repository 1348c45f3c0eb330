package org.slidewise.core.batch

/**
 * The fewest combines of any method for a set of windows, found by search, for small inputs.
 *
 * Whatever the method, each aggregate of two elements or more that it computes is over an interval that splits into two
 * whose aggregates it has as well. So the answer is the size of the smallest set of intervals that has all windows of two
 * elements or more, and with each interval such a split (single elements are free). Memory is unlimited here and all
 * windows are known before: no other method can have it easier.
 */
object FewestCombines {
  private type Interval = (Int, Int)

  def apply(windows: Seq[Interval]): Int = {
    val needed = windows.filter(wide).toSet
    Iterator.from(needed.size).find(closes(needed, needed, _)).get
  }

  private def wide(interval: Interval) = interval._2 - interval._1 >= 2

  private def closes(open: Set[Interval], have: Set[Interval], budget: Int): Boolean =
    have.size <= budget && (open.isEmpty || {
      val widest @ (lo, hi) = open.maxBy { case (l, h) => (h - l, l) }
      (lo + 1 until hi).exists { middle =>
        val parts = Set((lo, middle), (middle, hi)).filter(wide) -- have
        closes(open - widest ++ parts, have ++ parts, budget)
      }
    })
}
