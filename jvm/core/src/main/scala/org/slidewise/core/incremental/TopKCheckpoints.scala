package org.slidewise.core.incremental

/**
 * The `k` greatest elements of a window, greatest first, the newer one of equals first.
 *
 * An element that `k` newer ones are at least as great as can never be among the `k` greatest again, since it leaves before
 * they do. Invariants, between calls:
 *   - (K1) the checkpoints are just those elements of the window that fewer than `k` newer ones are at least as great as;
 *   - (K2) they stand in the order of the answer, so that the answer is the first `k` of them;
 *   - (K3) `beaten(i)` is the number of newer elements that are at least as great as checkpoint `i`;
 *   - (K4) `oldest` is the smallest position of a checkpoint.
 *
 * '''Cost.''' No combines. With `c` checkpoints, an insert takes about `log2 c` comparisons and a pass over those that it is
 * at least as great as; an evict a pass over all of them if the oldest one leaves, otherwise nothing; a query copies `k`. Of a
 * window of `m` elements in random order there are about `k (1 + ln (m / k))` checkpoints, of a falling sequence `m`. Space:
 * one reference, one `Long` and one `Int` each.
 *
 * @param k
 *   the length of the answer, if the window has so many elements; 1 at least
 * @throws java.lang.IllegalArgumentException
 *   if `k` is less than 1
 * @see
 *   Dani, Getta, "Incremental computation of aggregate operators over sliding windows", sections 7.1 and 7.4
 */
final class TopKCheckpoints[A](val k: Int)(implicit order: Ordering[A])
    extends CheckpointWindow[A, IndexedSeq[A]] {
  require(k >= 1, s"k must be at least 1, but is $k")

  private var values = new Array[AnyRef](16)
  private var positions = new Array[Long](16)
  private var beaten = new Array[Int](16)
  private var count = 0
  private var oldest = Long.MaxValue

  /** The greatest elements: `k` of them, or the whole window if it has fewer. */
  def query(): IndexedSeq[A] = {
    val answer = IndexedSeq.newBuilder[A]
    var i = 0
    while (i < count && i < k) {
      answer += value(i)
      i += 1
    }
    answer.result()
  }

  /** The position of the `i`-th of the greatest elements, or -1 if there are not so many. */
  def position(i: Int): Long = if (0 <= i && i < math.min(k, count)) positions(i) else -1L

  def checkpoints: Int = count

  /** For tests of (K1) to (K3): a checkpoint's value, its position and by how many it is beaten. */
  private[incremental] def checkpoint(i: Int): (A, Long, Int) = (value(i), positions(i), beaten(i))

  protected def enter(in: A, position: Long): Unit = {
    if (count == values.length) grow()
    val at = place(in)
    beat(at)
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

  /** (K2): before the first checkpoint that is not greater than `in`. */
  private def place(in: A): Int = {
    var from = 0
    var until = count
    while (from < until) {
      val middle = (from + until) >>> 1
      if (order.gt(value(middle), in)) from = middle + 1 else until = middle
    }
    from
  }

  /** (K3) and (K1) for a new element that goes to `from`: beats all from there on, and drops those beaten `k` times. */
  private def beat(from: Int): Unit = {
    var into = from
    var i = from
    while (i < count) {
      beaten(i) += 1
      if (beaten(i) < k) {
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
    beaten(at) = 0
  }

  private def move(from: Int, to: Int, length: Int): Unit = {
    System.arraycopy(values, from, values, to, length)
    System.arraycopy(positions, from, positions, to, length)
    System.arraycopy(beaten, from, beaten, to, length)
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
    beaten = java.util.Arrays.copyOf(beaten, count * 2)
  }
}
