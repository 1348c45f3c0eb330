package org.slidewise.spark.plan

import org.apache.spark.unsafe.types.CalendarInterval

/**
 * The windows of `window(time, size, slide, start)`: `[s, s + size)` for each `s` that is `offset` plus a multiple of `slide`.
 * All values are in microseconds. A time whose bounds overflow a long raises an ArithmeticException, and a size or a slide that is
 * not positive an IllegalArgumentException.
 *
 * '''Panes.''' Window starts and ends divide the time axis into panes, so that a window consists of whole panes. There is one
 * pane for each slide if `size` is a multiple of `slide`, and otherwise two. Panes whose width is the greatest common divisor of
 * `size` and `slide` would be as many or more.
 *
 * @param size
 *   positive
 * @param slide
 *   positive and less than `size`
 * @see
 *   Krishnamurthy, Wu, Franklin, "On-the-Fly Sharing for Streamed Aggregation", SIGMOD 2006, section 3 (paired windows)
 */
final case class HoppingWindows(size: Long, slide: Long, offset: Long) {
  require(size > 0 && slide > 0, s"windows of $size every $slide microseconds, which must be positive")

  /** The distance from a window's start to the next window's end, modulo the slide. Zero if starts and ends coincide. */
  val ends: Long = size % slide

  /** The start of the pane that contains `time`. */
  def pane(time: Long): Long = {
    val past = pastStart(time)
    Math.addExact(Math.subtractExact(time, past), if (past < ends) 0L else ends)
  }

  /** The start of the last window that contains `time`. */
  def lastStart(time: Long): Long = Math.subtractExact(time, pastStart(time))

  /** The start of the first window that contains `time`. */
  def firstStart(time: Long): Long = lastEnded(time) + slide

  /** The start of the last window that ends at `time` or before. */
  def lastEnded(time: Long): Long = lastStart(Math.subtractExact(time, size))

  /** The end of the window that begins at `start`. */
  def end(start: Long): Long = Math.addExact(start, size)

  private def pastStart(time: Long): Long = Math.floorMod(Math.subtractExact(time, offset), slide)

  /** The maximum number of windows that contain one time. */
  def overlapping: Long = (size + slide - 1) / slide

  override def toString: String = {
    val shifted = if (offset == 0) "" else s" from ${HoppingWindows.interval(offset)}"
    s"${HoppingWindows.interval(size)} every ${HoppingWindows.interval(slide)}$shifted"
  }
}

object HoppingWindows {

  /** Formats microseconds as an interval. */
  def interval(micros: Long): String = new CalendarInterval(0, 0, micros).toString
}
