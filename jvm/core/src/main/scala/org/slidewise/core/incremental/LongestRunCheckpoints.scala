package org.slidewise.core.incremental

import org.slidewise.core.Evolving

/**
 * The longest increasing run of a window, the oldest of equally long ones. A run consists of consecutive elements, each greater
 * than the previous one or, if not `strict`, at least as great.
 *
 * The window is a sequence of runs. Evictions shorten the oldest run, and insertions extend the newest. A run that is shorter
 * than a newer one can never be the result again, because it loses elements first. Invariants, between calls:
 *   - (L1) the checkpoints are exactly the runs that no newer run is longer than, from the oldest to the newest, including the
 *     newest run;
 *   - (L2) hence their lengths never increase, and the oldest checkpoint is the result;
 *   - (L3) a checkpoint holds the position of its run's first element in the window, and the position after its last.
 *
 * '''Cost.''' No combines. An insert compares two elements; `n` inserts compare at most `2n` lengths. An evict compares two
 * lengths. Memory: the newest element and two `Long` for each checkpoint, with at most one checkpoint for each element (in a
 * decreasing sequence).
 *
 * @param strict
 *   whether equal elements end a run
 * @see
 *   Dani, Getta, "Incremental computation of aggregate operators over sliding windows", section 8.2
 */
@Evolving
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
