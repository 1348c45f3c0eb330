package org.slidewise.core.incremental

import org.slidewise.core.Evolving

/**
 * The `k` greatest elements of a window, greatest first, and the newer one of equal elements first.
 *
 * A newer element dominates an older one if it is at least as great. An element with `k` dominators can never be among the `k`
 * greatest again, because it leaves before them. Invariants, between calls:
 *   - (K1) the checkpoints are exactly the elements of the window with fewer than `k` dominators;
 *   - (K2) they are in the order of the result, whose elements are the first `k` checkpoints;
 *   - (K3) `dominators(i)` is the number of dominators of checkpoint `i`;
 *   - (K4) `oldest` is the smallest position of a checkpoint.
 *
 * '''Cost.''' No combines. With `c` checkpoints, an insert takes about `log2 c` comparisons and a pass over the checkpoints that
 * the new element dominates. An evict takes a pass over all checkpoints if the oldest one leaves, and otherwise nothing. A query
 * copies `k` elements. Memory: one reference, one `Long` and one `Int` for each checkpoint. A window of `m` elements has about
 * `k (1 + ln (m / k))` checkpoints in random order, and `m` in a decreasing sequence.
 *
 * @param k
 *   the greatest length of the result; at least 1
 * @throws java.lang.IllegalArgumentException
 *   if `k` is less than 1
 * @see
 *   Dani, Getta, "Incremental computation of aggregate operators over sliding windows", sections 7.1 and 7.4
 */
@Evolving
final class TopKCheckpoints[A](val k: Int)(implicit order: Ordering[A])
    extends CheckpointWindow[A, IndexedSeq[A]] {
  require(k >= 1, s"k must be at least 1, but is $k")

  private var values = new Array[AnyRef](16)
  private var positions = new Array[Long](16)
  private var dominators = new Array[Int](16)
  private var count = 0
  private var oldest = Long.MaxValue

  /** The `k` greatest elements, or the whole window if it has fewer. */
  def query(): IndexedSeq[A] = {
    val answer = IndexedSeq.newBuilder[A]
    var i = 0
    while (i < count && i < k) {
      answer += value(i)
      i += 1
    }
    answer.result()
  }

  /** The position of the `i`-th of the greatest elements, or -1 if there are fewer. */
  def position(i: Int): Long = if (0 <= i && i < math.min(k, count)) positions(i) else -1L

  def checkpoints: Int = count

  /** For tests of (K1) to (K3): a checkpoint's value, position and number of dominators. */
  private[incremental] def checkpoint(i: Int): (A, Long, Int) = (value(i), positions(i), dominators(i))

  protected def enter(in: A, position: Long): Unit = {
    if (count == values.length) grow()
    val at = place(in)
    countDominator(at)
    move(at, at + 1, count - at)
    put(at, in, position)
    count += 1
    if (count == 1) oldest = position // (K4): otherwise an older one is there
    else if (oldest == Long.MaxValue) findOldest()
  }

  protected def leave(position: Long): Unit =
    if (position == oldest) {
      var at = 0
      while (positions(at) != position) at += 1
      move(at + 1, at, count - at - 1)
      shorten(count - 1)
      findOldest()
    }

  private def value(i: Int): A = values(i).asInstanceOf[A]

  /** The index for `in` by (K2): before the first checkpoint that is not greater. */
  private def place(in: A): Int = {
    var from = 0
    var until = count
    while (from < until) {
      val middle = (from + until) >>> 1
      if (order.gt(value(middle), in)) from = middle + 1 else until = middle
    }
    from
  }

  /** Restores (K3) and (K1) for a new element at `from`, which dominates all from there on: removes those with `k` dominators. */
  private def countDominator(from: Int): Unit = {
    var into = from
    var i = from
    while (i < count) {
      dominators(i) += 1
      if (dominators(i) < k) {
        if (into < i) move(i, into, 1)
        into += 1
      } else if (positions(i) == oldest) oldest = Long.MaxValue
      i += 1
    }
    shorten(into)
  }

  private def put(at: Int, in: A, position: Long): Unit = {
    values(at) = in.asInstanceOf[AnyRef]
    positions(at) = position
    dominators(at) = 0
  }

  private def move(from: Int, to: Int, length: Int): Unit = {
    System.arraycopy(values, from, values, to, length)
    System.arraycopy(positions, from, positions, to, length)
    System.arraycopy(dominators, from, dominators, to, length)
  }

  private def shorten(to: Int): Unit = {
    java.util.Arrays.fill(values, to, count, null)
    count = to
  }

  private def findOldest(): Unit = {
    oldest = Long.MaxValue
    var i = 0
    while (i < count) {
      oldest = math.min(oldest, positions(i))
      i += 1
    }
  }

  private def grow(): Unit = {
    values = java.util.Arrays.copyOf(values, count * 2)
    positions = java.util.Arrays.copyOf(positions, count * 2)
    dominators = java.util.Arrays.copyOf(dominators, count * 2)
  }
}
