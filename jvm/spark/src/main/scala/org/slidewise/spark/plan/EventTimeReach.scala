package org.slidewise.spark.plan

/**
 * The distances in event time that the frames of a window over a stream reach.
 *
 * @param before
 *   the reaches from a row back to the first row of its frame, for frames that limit it
 * @param after
 *   the reaches from a row to the last row of its frame, for frames that limit it
 * @param isLimited
 *   whether each frame limits both
 */
final class EventTimeReach private (before: Seq[TimeReach], after: Seq[TimeReach], isLimited: Boolean)
    extends Serializable {

  /**
   * The time up to which the RANGE frames of all rows are complete at a watermark. The result never decreases as the watermark
   * advances.
   */
  def completeUntil(watermark: Long): Long = {
    // The longest reach may grow from one era to the next, where clocks change by more. The end of the previous era may then give
    // the later time.
    val before = TimeReach.plus(TimeReach.startOfEra(watermark), -1L)
    math.max(completeIn(watermark), completeIn(before))
  }

  private def completeIn(time: Long): Long = TimeReach.plus(time, -longest(after, time))

  /**
   * The last watermark at which the frame of a row, or of a row that may come, needs the rows of a key; `Long.MaxValue` if there
   * is none.
   *
   * @param newest
   *   the time of the key's last row
   * @param timeout
   *   the time in microseconds for which frames without a limit in time need the rows; none for ever
   */
  def neededUntil(newest: Long, timeout: Option[Long]): Long = {
    val limited = math.max(longest(before, newest), longest(after, newest))
    val needed = if (isLimited) limited else timeout.fold(Long.MaxValue)(math.max(limited, _))
    TimeReach.plus(newest, needed)
  }

  private def longest(reaches: Seq[TimeReach], time: Long): Long = {
    var most = 0L
    reaches.foreach(r => most = math.max(most, r.longest(time)))
    most
  }
}

object EventTimeReach {

  def of(plan: SlidingWindowPlan): EventTimeReach = {
    val frames = plan.rowWise.frames.map(_.frame).distinct
    val ranges = frames.collect { case range: Frame.Range => range }
    val (growing, moving) = ranges.partition(_.isGrowing)
    new EventTimeReach(
      moving.map(range => TimeReach.before(range.lower)),
      ranges.map(range => TimeReach.after(range.upper)),
      isLimited = growing.isEmpty && ranges.size == frames.size
    )
  }
}
