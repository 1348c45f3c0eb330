package org.slidewise.spark.plan

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.errors.RefusedQuery

/**
 * The error for a hopping `window()` with more windows for each row than allowed.
 *
 * @param allowed
 *   the end of the message: the consequence, and the maximum number of windows for each row
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

  /** A lower bound on the bytes that Spark's analyzer needs for the projection of one window, which has 30 objects. */
  private val LeastProjection = 1024L

  /** Throws if a row may be in more than `most` windows, the value of the setting. */
  def check(windows: HoppingWindows, most: Long): Unit = if (windows.overlapping > most)
    throw new TooManyWindows(
      windows,
      s", and the result a row for each window. Allowed: at most ${SlidewiseSettings.MaxWindows} = $most"
    )

  /**
   * Throws if the projections of the windows cannot fit into a heap of `heap` bytes.
   *
   * @param reason
   *   the reason why Spark evaluates the windows
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
