package org.slidewise.spark.plan

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.errors.RefusedQuery

/**
 * A hopping `window()` with more windows for each row than can be evaluated.
 *
 * @param allowed
 *   the most windows for each row, and why
 */
final class TooManyWindows private (windows: HoppingWindows, allowed: String)
    extends RefusedQuery(
      TooManyWindows.Condition,
      TooManyWindows.SqlState,
      s"window(…, '${HoppingWindows.interval(windows.size)}', '${HoppingWindows.interval(windows.slide)}') has " +
        s"${windows.overlapping} windows for each row$allowed. Use a longer slide or a shorter window",
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
      s", and the result a row for each window. Allowed: at most ${SlidewiseSettings.MaxWindows} = $most"
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
        s". Spark evaluates them with a projection for each window, since Slidewise cannot: $reason. Allowed: at most $most " +
          "windows with the memory of this driver"
      )
  }
}
