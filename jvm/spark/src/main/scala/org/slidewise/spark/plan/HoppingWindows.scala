package org.slidewise.spark.plan

import org.apache.spark.unsafe.types.CalendarInterval

/**
 * The windows of `window(time, size, slide, start)`: `[s, s + size)` for each `s` that is `offset` plus a multiple of `slide`.
 * All values in microseconds. Times so far from 1970 that a bound is no long raise an ArithmeticException.
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
    val past = pastStart(time)
    Math.addExact(Math.subtractExact(time, past), if (past < ends) 0L else ends)
  }

  /** The start of the last window that holds `time`. */
  def lastStart(time: Long): Long = Math.subtractExact(time, pastStart(time))

  /** The start of the first window that holds `time`. */
  def firstStart(time: Long): Long = lastStart(Math.subtractExact(time, size)) + slide

  /** The end of the window that begins at `start`. */
  def end(start: Long): Long = Math.addExact(start, size)

  private def pastStart(time: Long): Long = Math.floorMod(Math.subtractExact(time, offset), slide)

  /** How many windows hold one time, at most. */
  def overlapping: Long = (size + slide - 1) / slide

  override def toString: String = {
    val shifted = if (offset == 0) "" else s" from ${HoppingWindows.interval(offset)}"
    s"${HoppingWindows.interval(size)} every ${HoppingWindows.interval(slide)}$shifted"
  }
}

object HoppingWindows {

  /** Microseconds as the text of an interval. */
  def interval(micros: Long): String = new CalendarInterval(0, 0, micros).toString
}
