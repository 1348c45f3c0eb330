package org.slidewise.core.incremental

import java.util.ArrayDeque

import scala.jdk.CollectionConverters._

/**
 * The greatest element of a window and where it stands, the newest one of equals; made by [[ExtremeCheckpoints.max]], and by
 * [[ExtremeCheckpoints.min]] for the smallest.
 *
 * The checkpoints are a monotonic deque. Invariants, between calls:
 *   - (E1) the checkpoints are just those elements of the window that are greater than every newer one;
 *   - (E2) they stand in the order of their positions, and so from the greatest to the smallest.
 *
 * '''Cost.''' No combines; for `n` inserts at most `2n` comparisons, and a single insert at most one more than there are
 * checkpoints. `evict` and `query` compare nothing. Space: one reference and one `Long` a checkpoint; of a window of `m`
 * elements in random order there are about `ln m`, of a falling sequence `m`.
 *
 * @see
 *   Dani, Getta, "Incremental computation of aggregate operators over sliding windows", section 8.1
 */
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
    values.asScala.toSeq.zip((0 until positions.size).map(positions(_)))

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

  /** The greatest element in `order`, the newest one of equals. */
  def max[A](implicit order: Ordering[A]): ExtremeCheckpoints[A] = new ExtremeCheckpoints(order)

  /** The smallest element in `order`, the newest one of equals. */
  def min[A](implicit order: Ordering[A]): ExtremeCheckpoints[A] = new ExtremeCheckpoints(order.reverse)
}
