package org.slidewise.core.windows

import java.util.NoSuchElementException
import org.slidewise.core.Evolving
import org.slidewise.core.InPlaceAggregator
import org.slidewise.core.algorithms.Fiba

/**
 * Window of elements with times, inserted in any order of times. Its order is that of the times, and of arrival for equal times.
 *
 * Not safe for concurrent use.
 */
@Evolving
final class TimedWindow[S, -In, +Out] private[core] (operator: InPlaceAggregator[S, In, Out], fiba: Fiba[S])
    extends Window[S, In, Out](operator, fiba) {

  /** Adds `in` with the newest time of the window, or with 0 if it is empty. */
  override def insert(in: In): Unit = super.insert(in)

  /** Adds `in` after all elements up to `time`, with O(log d) amortised combines for d newer elements. */
  def insert(time: Long, in: In): Unit = {
    val slot = fiba.slotForInsert
    operator.lift(in, fiba.states.cells(slot), fiba.states.offset(slot))
    fiba.insertLifted(time)
  }

  /** Removes all elements whose time is before `time`. */
  def evictBefore(time: Long): Unit =
    while (fiba.size > 0 && fiba.oldestTime < time) fiba.evict()

  /**
   * The time of the oldest element.
   *
   * @throws java.util.NoSuchElementException
   *   if the window is empty
   */
  def oldestTime: Long = {
    requireElements("oldestTime")
    fiba.oldestTime
  }

  /**
   * The time of the newest element.
   *
   * @throws java.util.NoSuchElementException
   *   if the window is empty
   */
  def newestTime: Long = {
    requireElements("newestTime")
    fiba.newestTime
  }

  private def requireElements(what: String): Unit =
    if (fiba.size == 0)
      throw new NoSuchElementException(s"$what of an empty window: check that size is above 0 first")
}
