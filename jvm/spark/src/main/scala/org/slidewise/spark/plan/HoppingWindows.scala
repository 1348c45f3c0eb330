package org.slidewise.spark.plan

import org.apache.spark.unsafe.types.CalendarInterval

/**
 * The windows of `window(time, size, slide, start)`: `[s, s + size)` for each `s` that is `offset` plus a multiple of `slide`.
 * All values are in microseconds. A size or a slide that is not positive raises an IllegalArgumentException.
 *
 * '''Panes.''' Window starts and ends divide the time axis into panes, so that a window consists of whole panes. There is one
 * pane for each slide if `size` is a multiple of `slide`, and otherwise two. Panes whose width is the greatest common divisor of
 * `size` and `slide` would be as many or more.
 *
 * '''Overflow.''' Outside of ANSI mode, Spark computes windows modulo 2^64^. Near the least and the greatest time, bounds of windows
 * then wrap around, and `time - offset` does so as well, which gives windows another phase. [[pane]], [[sinceFirst]] and [[of]]
 * follow Spark there. The other methods give the least or the greatest time instead of a bound beyond it.
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

  /** The start of the pane that contains `time`, or the first time of [[phase]] if that is later. */
  def pane(time: Long): Long = {
    val past = pastStart(time)
    val start = time - (if (past < ends) past else past - ends)
    val first = phase(time)
    if (start > time || start < first) first else start
  }

  /** The distance of `time` from the start of the first window that contains it. */
  def sinceFirst(time: Long): Long = {
    val past = pastStart(time)
    past + (size - 1 - past) / slide * slide
  }

  /** The first of the times around `time` whose windows have the same phase. */
  def phase(time: Long): Long =
    if (offset > 0 && time >= Long.MinValue + offset && phasesDiffer) Long.MinValue + offset
    else if (offset < 0 && time > Long.MaxValue + offset && phasesDiffer) Long.MaxValue + offset + 1
    else Long.MinValue

  private val phasesDiffer = java.lang.Long.remainderUnsigned(-1L, slide) != slide - 1 // 2^64 is no multiple

  /** The start of the last window that contains `time`. */
  def lastStart(time: Long): Long = before(time, pastStart(time))

  /** The start of the first window that contains `time`. */
  def firstStart(time: Long): Long = before(time, sinceFirst(time))

  /** The start of the last window that ends at `time` or before. */
  def lastEnded(time: Long): Long = before(firstStart(time), slide)

  /** The end of the window that begins at `start`. */
  def end(start: Long): Long = if (start + size < start) Long.MaxValue else start + size

  private def before(time: Long, distance: Long): Long =
    if (time - distance > time) Long.MinValue else time - distance

  private def pastStart(time: Long): Long = Math.floorMod(time - offset, slide)

  /**
   * The bounds of the windows of `time`, the last one first, as Spark computes them modulo 2^64^. If the size is no multiple of the
   * slide, only windows that contain `time`.
   */
  def of(time: Long): Iterator[(Long, Long)] = {
    val last = time - pastStart(time)
    val all = Iterator.iterate(0L)(_ + 1).takeWhile(_ < overlapping).map { i =>
      val start = last - i * slide
      (start, start + size)
    }
    // Spark filters only windows that may not contain the time.
    if (ends == 0) all else all.filter { case (start, end) => time >= start && time < end }
  }

  /** The first operation that overflows when Spark computes the windows of `time`; none if none does. */
  def overflow(time: Long): Option[WindowOverflow] = {
    val start = time - pastStart(time)
    val first = (overlapping - 1) * slide
    if (subtractionOverflows(time, offset)) Some(WindowOverflow(time, offset, isSum = false))
    else if (start > time) Some(WindowOverflow(time, pastStart(time), isSum = false))
    else if (start + size < start) Some(WindowOverflow(start, size, isSum = true))
    else if (start - first > start) Some(WindowOverflow(start, first, isSum = false))
    else None
  }

  private def subtractionOverflows(a: Long, b: Long): Boolean = ((a ^ b) & (a ^ (a - b))) < 0

  /** Two times between which neither the windows of a time nor the windows of its panes overflow. */
  def safeTimes: (Long, Long) = {
    val margin = BigInt(size) + 2 * BigInt(slide) + BigInt(offset).abs
    if (margin.isValidLong) (Long.MinValue + margin.longValue, Long.MaxValue - margin.longValue)
    else (Long.MaxValue, Long.MinValue)
  }

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

/** An addition, or a subtraction, that overflows 64 bits. */
final case class WindowOverflow(left: Long, right: Long, isSum: Boolean)
