package org.slidewise.spark.execution.streams.hopping

import java.util.Arrays

import org.slidewise.spark.plan.HoppingWindowPlan

/** The starts of the panes of one group that a batch touches, in the order of time. Takes 8 to 16 bytes for each pane. */
final private[hopping] class TouchedStarts(plan: HoppingWindowPlan) {
  private[this] val windows = plan.windows
  private[this] var starts = new Array[Long](64)
  private[this] var size = 0
  private[this] var notBefore = Long.MinValue

  /**
   * Removes all starts.
   *
   * @param firstWindow
   *   the start of the first window that is not late
   */
  def clear(firstWindow: Long): Unit = {
    size = 0
    notBefore = firstWindow
  }

  def isEmpty: Boolean = size == 0

  /** Adds a start, which must be greater than all others. */
  def add(start: Long): Unit = {
    if (size == starts.length) starts = Arrays.copyOf(starts, 2 * size)
    starts(size) = start
    size += 1
  }

  def contains(start: Long): Boolean = Arrays.binarySearch(starts, 0, size, start) >= 0

  /** Whether a window that is not late contains both the pane at `start` and a touched pane. */
  def isNear(start: Long): Boolean = {
    val first = math.max(windows.firstStart(start), notBefore)
    val last = windows.lastStart(start)
    if (first > last) false
    else {
      // The windows of a pane cover one range of time. The first touched pane from the range's start on decides.
      val found = Arrays.binarySearch(starts, 0, size, first)
      val at = if (found >= 0) found else -found - 1
      at < size && starts(at) < windows.end(last)
    }
  }
}
