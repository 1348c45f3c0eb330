package org.slidewise.spark.plan

/**
 * The windows of `window(time, size, slide, start)`: `[s, s + size)` for each `s` that is `offset` plus a multiple of `slide`.
 * All values in microseconds.
 *
 * '''Panes.''' The time axis is cut where windows begin and where they end, so that a window consists of whole panes: one pane
 * for each slide if `size` is a multiple of it, else two of alternating lengths. That is never more, and mostly fewer, than
 * panes of the greatest common divisor of `size` and `slide`.
 *
 * @param size
 *   positive
 * @param slide
 *   positive and less than `size`
 * @see
 *   Krishnamurthy, Wu, Franklin, "On-the-Fly Sharing for Streamed Aggregation", SIGMOD 2006, section 3 (paired windows)
 */
final case class HoppingWindows(size: Long, slide: Long, offset: Long) {

  /** How far the windows' ends lie behind the windows' starts, within a slide; zero if they coincide. */
  val ends: Long = size % slide

  /** The start of the pane that holds `time`. */
  def pane(time: Long): Long = {
    val past = Math.floorMod(time - offset, slide)
    time - past + (if (past < ends) 0L else ends)
  }

  /** The start of the last window that holds `time`. */
  def lastStart(time: Long): Long = time - Math.floorMod(time - offset, slide)

  /** The start of the first window that holds `time`. */
  def firstStart(time: Long): Long = lastStart(time - size) + slide

  /** How many windows hold one time, at most. */
  def overlapping: Long = (size + slide - 1) / slide
}
