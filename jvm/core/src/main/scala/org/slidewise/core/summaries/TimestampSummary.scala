package org.slidewise.core.summaries

import org.slidewise.core.Evolving

/** Estimate with proven bounds. */
@Evolving
final class Estimate private[summaries] (val lower: Double, val estimate: Double, val upper: Double) {
  override def toString: String = s"$estimate, from $lower to $upper"
}

/**
 * Summary of a stream with timestamps in any order: the number of elements, or the sum of their values, in a window of time.
 *
 * A query chooses the window, of any width up to `maxWidth`. The relative error is always at most ε if the window ends at the
 * [[clock]] or later. For a window that ends before, the error is at most ε of all elements since the begin of the window,
 * including those after its end.
 *
 * The clock is the newest timestamp, or a later time set by [[advanceTo]], and never goes back. The summary drops elements that
 * are more than `maxWidth` before the clock, and counts arriving ones in [[late]] only. A single timestamp far in the future
 * therefore drops all earlier elements: check timestamps first.
 *
 * Two summaries of the same `maxWidth` and ε can be merged, in trees of any shape, within the same ε. Not safe for concurrent use.
 */
@Evolving
trait TimestampSummary[Self <: TimestampSummary[Self]] {

  /** W, the greatest width of a query. */
  def maxWidth: Long

  /** The greatest relative error. */
  def epsilon: Double

  /** Adds an element of value 1 at `time`. */
  final def insert(time: Long): Unit = insert(time, 1L)

  /**
   * Adds an element of `value` at `time`.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `time` is not from -2^61^ to 2^61^, or `value` not from 0 to 2^53^
   * @throws java.lang.ArithmeticException
   *   now or at the next query, if the sum of the stored values reaches 2^62^
   */
  def insert(time: Long, value: Long): Unit

  /** Advances the clock to `time` if it is later, for a watermark or a time without elements. */
  def advanceTo(time: Long): Unit

  /** The clock; `Long.MinValue` before the first element. */
  def clock: Long

  /** The number of elements that arrived too late for any window. */
  def late: Long

  /** Estimates the window of the timestamps from `clock - width` to `clock`, both included. */
  final def query(width: Long): Estimate = query(clock, width)

  /**
   * Estimates the window of the timestamps from `now - width` to `now`, both included.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `width` is not from 0 to `maxWidth`, or the window begins before `clock - maxWidth`
   */
  def query(now: Long, width: Long): Estimate

  /**
   * Adds the elements of `other`, which is not changed.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `other` has another `maxWidth` or ε
   */
  def merge(other: Self): Unit

  /** The bits of state that [[toBytes]] packs after its header; less than the object takes in memory. */
  def bits: Long

  /** The bytes of the header of [[toBytes]]: version, kind, parameters, clock and late elements. */
  def headerBytes: Int

  /** The stored form: `headerBytes`, then `bits` rounded up to bytes. `fromBytes` of the companion reads it. */
  def toBytes: Array[Byte]
}

/** Clock of a timestamp summary, with the checks of its arguments. */
private[summaries] final class Clock(maxWidth: Long) {
  import Clock.MaxTime

  var now: Long = Long.MinValue
  var late: Long = 0

  /** Whether no element has arrived, and no later time was set. */
  def isUnset: Boolean = now == Long.MinValue

  /** The oldest timestamp that can be in a window. */
  def oldest: Long = if (isUnset) now else now - maxWidth

  /** Whether an element at `time` is not late. Advances the clock to it. */
  def accepts(time: Long, value: Long): Boolean = {
    if (value < 0 || value > (1L << 53)) Arguments.outside("value", value, "from 0 to 2^53")
    checkTime(time)
    if (time > now) now = time
    val inTime = time >= oldest
    if (!inTime) late += 1
    inTime
  }

  def advanceTo(time: Long): Unit = {
    checkTime(time)
    if (time > now) now = time
  }

  def merge(other: Clock): Unit = {
    now = math.max(now, other.now)
    late += other.late
  }

  private def checkTime(time: Long): Unit =
    if (time < -MaxTime || time > MaxTime) Arguments.outside("time", time, "from -2^61 to 2^61")

  def checkQuery(to: Long, width: Long): Unit = {
    if (width < 0 || width > maxWidth) Arguments.outside("width", width, s"from 0 to the maxWidth $maxWidth")
    if (now != Long.MinValue) {
      if (to < -MaxTime || to > MaxTime) Arguments.outside("now", to, "from -2^61 to 2^61")
      if (to - width < oldest)
        Arguments.outside(
          "now",
          to,
          s"at least ${oldest + width} with a width of $width, as the clock is at $now"
        )
    }
  }

  def write(out: BitWriter): Unit = {
    out.write(now, 64)
    out.writeVariable(late)
  }

  def read(in: BitReader): Unit = {
    now = in.read(64)
    late = in.readVariable()
    Format.check(late >= 0 && (isUnset || now >= -MaxTime && now <= MaxTime))
  }
}

private[summaries] object Clock {
  final val MaxTime = 1L << 61
  final val MaxWidth = 1L << 60

  def checkWidth(maxWidth: Long): Unit =
    if (maxWidth < 1 || maxWidth > MaxWidth) Arguments.outside("maxWidth", maxWidth, "from 1 to 2^60")

  def checkSame(name: String, here: Any, there: Any): Unit =
    if (here != there) Arguments.outside(s"$name of other", there, s"$here, as here")
}
