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
  private[this] var empty = true

  /** The start of the current window. */
  def start: Long = window

  /** Begins a new key. */
  def reset(): Unit = {
    loAt = 0L
    hiAt = 0L
    empty = true
  }

  /** Moves to the next window; false if there is none. */
  def advance(): Boolean = {
    if (!empty) {
      window += windows.slide
      while (loAt < hiAt && panes.startAt(loAt) < window) loAt += 1
    }
    if (loAt == hiAt && panes.hasNext) {
      val first = windows.firstStart(panes.nextStart)
      window = math.max(if (empty) lowest else window, first)
    }
    val end = windows.end(window)
    while (panes.hasNext && panes.nextStart < end) {
      panes.take()
      hiAt += 1
    }
    empty = false
    loAt < hiAt && window <= highest
  }
}
