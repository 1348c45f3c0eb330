package org.slidewise.core.incremental

/**
 * The longest increasing run of a window: of consecutive elements each of which is greater than the one before it, or, if
 * not `strict`, at least as great. Of equally long runs it is the oldest.
 *
 * The window falls into runs: the oldest is cut at the front as elements leave, the newest grows as elements enter. A run
 * that a newer one is longer than can never be the answer again, since it is the first to lose elements. Invariants, between
 * calls:
 *   - (L1) the checkpoints are just those runs that no newer run is longer than, from the oldest to the newest, the newest
 *     run among them;
 *   - (L2) so their lengths never increase, and the oldest checkpoint is the answer;
 *   - (L3) a checkpoint holds the position of its run's first element in the window, and the position past its last.
 *
 * '''Cost.''' No combines. An insert compares two elements and, over `n` inserts, at most `2n` lengths in all; an evict
 * compares two lengths. Space: two `Long` a checkpoint and the newest element; at most as many checkpoints as the window
 * has elements (in a falling sequence).
 *
 * @param strict
 *   whether equal elements end a run
 * @see
 *   Dani, Getta, "Incremental computation of aggregate operators over sliding windows", section 8.2
 */
final class LongestRunCheckpoints[A](val strict: Boolean)(implicit order: Ordering[A])
    extends CheckpointWindow[A, Int] {

  private val starts = new LongRing
  private val ends = new LongRing

  private var newest: AnyRef = null

  /** The length of the longest run; 0 if the window is empty. */
  def query(): Int = if (starts.size == 0) 0 else length(0)

  /** The position of the longest run's first element, or -1 if the window is empty. */
  def runStart: Long = if (starts.size == 0) -1L else starts(0)

  def checkpoints: Int = starts.size

  /** For tests of (L1) to (L3): all checkpoints, each with its first position and its length. */
  private[incremental] def all: Seq[(Long, Int)] = (0 until starts.size).map(i => (starts(i), length(i)))

  protected def enter(in: A, position: Long): Unit = {
    if (size > 0 && continues(in)) ends(ends.size - 1) = position + 1
    else {
      starts.add(position)
      ends.add(position + 1)
    }
    newest = in.asInstanceOf[AnyRef]
    while (starts.size > 1 && length(starts.size - 2) < length(starts.size - 1)) removeNewestButOne() // (L1)
  }

  protected def leave(position: Long): Unit = {
    if (starts(0) == position) {
      starts(0) = position + 1
      if (length(0) == 0 || (starts.size > 1 && length(0) < length(1))) removeOldest() // (L1)
    }
    if (size == 1) newest = null
  }

  private def continues(in: A): Boolean = {
    val last = newest.asInstanceOf[A]
    if (strict) order.gt(in, last) else order.gteq(in, last)
  }

  private def length(i: Int): Int = (ends(i) - starts(i)).toInt

  private def removeOldest(): Unit = {
    starts.removeOldest()
    ends.removeOldest()
  }

  private def removeNewestButOne(): Unit = {
    starts(starts.size - 2) = starts(starts.size - 1)
    starts.removeNewest()
    ends(ends.size - 2) = ends(ends.size - 1)
    ends.removeNewest()
  }
}
