package org.slidewise.spark.execution.hopping

import org.slidewise.spark.execution.frames.FrameBounds
import org.slidewise.spark.plan.HoppingWindows

/** The source of the panes of one key, in the order of time. */
private[hopping] trait PaneSource {

  /** The start of the pane at `position`. The pane must have been taken. */
  def startAt(position: Long): Long

  /** Whether there is a pane that has not been taken. */
  def hasNext: Boolean

  /** The start of the next pane that has not been taken. */
  def nextStart: Long

  /** Takes the next pane and gives it the next position. */
  def take(): Unit
}

/**
 * Iterates over the windows of one key that contain at least one pane, in the order of time, with the positions of their panes.
 * Skips any number of windows without panes in constant time.
 *
 * @param selection
 *   the range of windows; each pane must be in at least one of them
 */
final private[hopping] class PaneFrames(
    windows: HoppingWindows,
    selection: WindowSelection,
    panes: PaneSource
) extends FrameBounds {
  private[this] val lowest = selection.firstStart(windows)
  private[this] val highest = selection.lastStart(windows)
  private[this] var window = 0L
  private[this] var isEarly = false // whether the window starts before `Long.MinValue`
  private[this] var phase = 0L
  private[this] var empty = true

  /** The start of the current window, modulo 2^64^. */
  def start: Long = window

  /** The end of the current window, modulo 2^64^. */
  def end: Long = window + windows.size

  /** Begins a new key. */
  def reset(): Unit = {
    loAt = 0L
    hiAt = 0L
    empty = true
  }

  /** Moves to the next window; false if there is none. */
  def advance(): Boolean = {
    var isAtWindow = move()
    // No time lies within bounds that wrap around, and Spark drops such windows. Spark checks bounds only if the size of windows
    // is no multiple of the slide.
    while (isAtWindow && windows.ends != 0 && (isEarly || isLate)) isAtWindow = move()
    isAtWindow
  }

  /** Whether the window ends after `Long.MaxValue`. */
  private def isLate: Boolean = !isEarly && end < window

  private def move(): Boolean = {
    if (!empty) leave()
    if (loAt == hiAt && panes.hasNext) begin(panes.nextStart)
    while (panes.hasNext && isInside(panes.nextStart)) {
      panes.take()
      hiAt += 1
    }
    empty = false
    loAt < hiAt && (isEarly || window <= highest)
  }

  private def leave(): Unit = {
    val next = window + windows.slide
    if (!isEarly && next < window) loAt = hiAt // no window begins after `Long.MaxValue`
    isEarly &&= next > window
    window = next
    while (loAt < hiAt && !isEarly && panes.startAt(loAt) < window) loAt += 1
  }

  /** Moves on to the first window of the pane at `time`. */
  private def begin(time: Long): Unit = {
    val first = time - windows.sinceFirst(time)
    val isNew = empty || windows.phase(time) != phase
    phase = windows.phase(time)
    if (isNew || isAfter(first, first > time)) moveTo(first, first > time)
    if (isNew && lowest != Long.MinValue && isAfter(lowest, early = false)) moveTo(lowest, early = false)
  }

  private def isAfter(start: Long, early: Boolean): Boolean =
    if (early == isEarly) start > window else isEarly

  private def moveTo(start: Long, early: Boolean): Unit = {
    window = start
    isEarly = early
  }

  private def isInside(pane: Long): Boolean =
    windows.phase(pane) == phase && (isLate || pane < end)
}
