package org.slidewise.core.incremental

import java.util.ArrayDeque
import org.slidewise.core.Evolving

/**
 * The extreme element of a window and its position, the newest of equal ones. Created by [[ExtremeCheckpoints.max]] and
 * [[ExtremeCheckpoints.min]].
 *
 * The checkpoints are a monotonic deque. Invariants, between calls:
 *   - (E1) the checkpoints are exactly the elements of the window that are greater than every newer one;
 *   - (E2) they are ordered by position, and hence from the greatest to the smallest.
 *
 * '''Cost.''' No combines. At most `2n` comparisons for `n` inserts, and at most one more than there are checkpoints for a
 * single insert. `evict` and `query` compare nothing. Memory: one reference and one `Long` for each checkpoint. A window of `m`
 * elements has about `ln m` checkpoints in random order, and `m` in a decreasing sequence.
 *
 * @see
 *   Dani, Getta, "Incremental computation of aggregate operators over sliding windows", section 8.1
 */
@Evolving
final class ExtremeCheckpoints[A] private (order: Ordering[A]) extends CheckpointWindow[A, Option[A]] {
  private val positions = new LongRing
  private val values = new ArrayDeque[A]

  /** The extreme of the window, or None if it is empty. */
  def query(): Option[A] = Option(values.peekFirst)

  /** The position of the extreme, or -1 if the window is empty. */
  def position: Long = if (positions.size == 0) -1L else positions(0)

  def checkpoints: Int = positions.size

  /** For tests of (E1) and (E2): all checkpoints, each with its position. */
  private[incremental] def all: Seq[(A, Long)] =
    values.toArray.toSeq.asInstanceOf[Seq[A]].zip((0 until positions.size).map(positions(_)))

  protected def enter(in: A, position: Long): Unit = {
    while (!values.isEmpty && order.gteq(in, values.peekLast)) { // (E1)
      values.removeLast()
      positions.removeNewest()
    }
    values.addLast(in) // (E2)
    positions.add(position)
  }

  protected def leave(position: Long): Unit =
    if (this.position == position) {
      values.removeFirst()
      positions.removeOldest()
    }
}

object ExtremeCheckpoints {

  /** The greatest element in `order`, the newest of equal elements. */
  def max[A](implicit order: Ordering[A]): ExtremeCheckpoints[A] = new ExtremeCheckpoints(order)

  /** The smallest element in `order`, the newest of equal elements. */
  def min[A](implicit order: Ordering[A]): ExtremeCheckpoints[A] = new ExtremeCheckpoints(order.reverse)
}
