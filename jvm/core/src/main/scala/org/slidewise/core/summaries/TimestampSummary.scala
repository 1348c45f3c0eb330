package org.slidewise.core.summaries

/** An answer and its proven bounds. */
final class Estimate private[summaries] (val lower: Double, val estimate: Double, val upper: Double) {
  override def toString: String = s"$estimate, from $lower to $upper"
}

/**
 * How many elements, or what sum of their values, have a timestamp in a window; elements come in any order of timestamps.
 *
 * The window is chosen with the question: any width up to `maxWidth`. The answer is within a relative error of ε of what is
 * true, always, if the window ends at the [[clock]] or later; of one that ends before, the error is at most ε of all elements
 * since the window's begin, those after its end too.
 *
 * The clock is the newest timestamp seen, or later if [[advanceTo]] said so; it never goes back. What is more than `maxWidth`
 * before it can be in no window: it is let go, and an element that arrives with such a timestamp is counted in [[late]] and
 * nowhere else. So one timestamp far in the future makes the whole past leave: check timestamps before.
 *
 * Two summaries of the same `maxWidth` and ε merge, in trees of any shape, and the error stays within ε. None is safe for
 * several threads at once.
 */
trait TimestampSummary[Self <: TimestampSummary[Self]] {

  /** W, the greatest width that can be asked for. */
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
   *   here or at the next question, if the sum of what is kept reaches 2^62^
   */
  def insert(time: Long, value: Long): Unit

  /** Moves the clock on, if `time` is after it: by a watermark, or as time passes without elements. */
  def advanceTo(time: Long): Unit

  /** The newest time known of; the least Long if there is none. */
  def clock: Long

  /** The number of elements that came too late to be in any window. */
  def late: Long

  /** What is in the window of the timestamps from `clock - width` to `clock`, both included. */
  final def query(width: Long): Estimate = query(clock, width)

  /**
   * What is in the window of the timestamps from `now - width` to `now`, both included.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `width` is not from 0 to `maxWidth`, or the window begins before `clock - maxWidth`
   */
  def query(now: Long, width: Long): Estimate

  /**
   * Takes in all that `other` has, which stays as it is.
   *
   * @throws java.lang.IllegalArgumentException
   *   if `other` has another `maxWidth` or ε
   */
  def merge(other: Self): Unit

  /** The bits of state, as [[toBytes]] packs them after its header. */
  def bits: Long

  /** The bytes that [[toBytes]] puts in front: version, kind, parameters, clock and late elements. */
  def headerBytes: Int

  /** The whole summary, in `headerBytes` and then `bits` rounded up to bytes; `fromBytes` of the companion reads it. */
  def toBytes: Array[Byte]
}

/** The clock of a timestamp summary, and what it asks of its arguments. */
private[summaries] final class Clock(maxWidth: Long) {
  import Clock.MaxTime

  var now: Long = Long.MinValue
  var late: Long = 0

  /** The oldest timestamp that can be in a window. */
  def oldest: Long = if (now == Long.MinValue) now else now - maxWidth

  /** Whether an element at `time` counts; moves the clock to it. */
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
    if (now != Long.MinValue && (now < -MaxTime || now > MaxTime)) Format.damaged()
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
