package org.slidewise.spark.execution.streams

import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

/**
 * The times of a batch, in microseconds.
 *
 * @param watermark
 *   the watermark, or `Long.MinValue` if there is none
 * @param dropUntil
 *   rows up to this time are late
 * @param eager
 *   whether rows are put in order when they arrive; rows before the newest row of their key are then late
 * @param neededUntil
 *   the last watermark at which a later row may need the state of a key, given the time of the key's newest row
 */
final private[streams] case class BatchTimes(
    watermark: Long,
    dropUntil: Long,
    eager: Boolean,
    neededUntil: Long => Long
) {

  /** Rows up to this time are put in order in this batch. */
  val orderUntil: Long = if (eager) Long.MaxValue else watermark

  /** Whether a key no longer needs state, given the time of its newest row. */
  def isPast(newest: Long): Boolean = neededUntil(newest) < watermark

  /** The rows up to this time are late, given the time of the newest row of their key. */
  def lateUntil(newest: Long): Long =
    if (eager && newest != Long.MinValue) math.max(dropUntil, newest - 1) else dropUntil
}

private[streams] object BatchTimes {

  /** A watermark in microseconds, given in milliseconds; `Long.MinValue` for none. */
  def micros(watermark: Option[Long]): Long = watermark.fold(Long.MinValue)(Math.multiplyExact(_, 1000L))
}

/**
 * The rows of a batch in one state partition, one key after the other, without late rows and rows without a time.
 *
 * @param rows
 *   the rows, sorted by key and time
 * @param timeField
 *   the ordinal of the event time in a row, in microseconds
 */
final private[streams] class ArrivedRows(
    rows: Iterator[UnsafeRow],
    keyOf: UnsafeProjection,
    timeField: Int,
    times: BatchTimes,
    counts: StreamCounts,
    lateRows: LateRows,
    cancellation: CancellationCheck
) extends RowSource {
  private[this] var upcoming: UnsafeRow = _
  private[this] var started = false
  private[this] var ofKey: UnsafeRow = _ // the key that is being read
  private[this] var lateUntil = times.dropUntil

  /** Whether any key has a row that has not been read. */
  def hasKey: Boolean = {
    if (!started) {
      started = true
      next()
    }
    upcoming != null
  }

  /** The first row of the upcoming key. */
  def firstOfKey: UnsafeRow = upcoming

  /**
   * Moves to the key of the upcoming row.
   *
   * @param newest
   *   the time of the newest row that the key has had, or `Long.MinValue`
   */
  def startKey(newest: Long): Unit = {
    ofKey = keyOf(upcoming).copy()
    lateUntil = times.lateUntil(newest)
    skip()
  }

  override def head: UnsafeRow = if (ofKey == null) null else upcoming

  override def advance(): Unit = {
    read()
    skip()
  }

  /** Makes the late rows durable. The caller calls it once, after all rows have been read. */
  def commit(): Unit = lateRows.commit()

  private def read(): Unit = {
    cancellation.step()
    next()
  }

  private def next(): Unit = upcoming = if (rows.hasNext) rows.next() else null

  private def skip(): Unit = {
    var belongs = isOfKey
    while (belongs && isDropped) {
      read()
      belongs = isOfKey
    }
    if (!belongs) ofKey = null
  }

  private def isOfKey = upcoming != null && keyOf(upcoming) == ofKey

  private def isDropped: Boolean =
    if (upcoming.isNullAt(timeField)) {
      counts.timeless += 1
      true
    } else {
      val late = upcoming.getLong(timeField) <= lateUntil
      if (late) {
        counts.late += 1
        lateRows.add(upcoming)
      }
      late
    }
}
