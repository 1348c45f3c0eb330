package org.slidewise.spark.plan

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.errors.RefusedQuery

/**
 * A hopping `window()` with more windows for each row than can be evaluated.
 *
 * @param limit
 *   the most windows of a row, and why
 * @param remedy
 *   what to change beside the windows; None if nothing else helps
 */
final class TooManyWindows private (windows: HoppingWindows, limit: String, remedy: Option[String])
    extends RefusedQuery(
      TooManyWindows.Condition,
      TooManyWindows.SqlState,
      s"Each row is in ${windows.overlapping} windows of window(…, '${HoppingWindows.interval(windows.size)}', " +
        s"'${HoppingWindows.interval(windows.slide)}'), $limit. Allowed: a longer slide or a shorter window" +
        remedy.fold("")(", or " + _),
      Map(
        "windows" -> windows.overlapping.toString,
        "size" -> HoppingWindows.interval(windows.size),
        "slide" -> HoppingWindows.interval(windows.slide)
      )
    )

object TooManyWindows {
  val Condition = "SLIDEWISE_TOO_MANY_WINDOWS"
  val SqlState = "54000"

  /** Less than Spark's analyzer needs for the projection of a window, which has 30 objects. */
  private val LeastProjection = 1024L

  /** Refuses windows past the setting. */
  def check(windows: HoppingWindows, most: Long): Unit = if (windows.overlapping > most)
    throw new TooManyWindows(
      windows,
      s"and a result has a row for each of them. ${SlidewiseSettings.MaxWindows} = $most is the most",
      Some(s"a higher ${SlidewiseSettings.MaxWindows}")
    )

  /**
   * Refuses windows whose projections no heap of this size holds.
   *
   * @param reason
   *   why Spark evaluates the windows
   */
  def checkForSpark(windows: HoppingWindows, heap: Long, reason: String): Unit = {
    val most = math.min(heap / LeastProjection, Int.MaxValue.toLong)
    if (windows.overlapping > most)
      throw new TooManyWindows(
        windows,
        s"for each of which Spark makes a projection. The driver's memory holds at most $most. Slidewise, which needs none, " +
          s"does not evaluate the query: $reason",
        None
      )
  }
}
