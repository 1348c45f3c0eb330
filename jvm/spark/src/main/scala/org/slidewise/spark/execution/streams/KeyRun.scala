package org.slidewise.spark.execution.streams

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, Projection, UnsafeProjection, UnsafeRow}

/**
 * Takes one key's rows of a batch: settles those that can be, in order of time, and answers those whose frames are complete.
 *
 * @param summary
 *   what later frames need of a row
 * @param timeField
 *   the ordinal of the event time in a row, in microseconds
 * @param direct
 *   whether a row's frames are complete as soon as it is settled
 * @param output
 *   from a row joined with its results
 */
final private[streams] class KeyRun(
    key: KeyState,
    summary: UnsafeProjection,
    timeField: Int,
    direct: Boolean,
    results: InternalRow,
    output: Projection
) {
  private[this] val joined = new JoinedRow
  private[this] val waiting = key.waiting.reader()
  private[this] var fresh: RowSource = _
  private[this] var settleUntil, horizon = 0L
  private[this] var allSettled = false

  // The row that was settled last, and whether it had waited for it in an earlier batch.
  private[this] var current: UnsafeRow = _
  private[this] var wasPending = false

  /**
   * Begins a key, which has been opened.
   *
   * @param rows
   *   the key's new rows by time
   * @param settleUntil
   *   rows up to this time are settled
   * @param horizon
   *   no row up to this time will come any more
   */
  def start(rows: RowSource, settleUntil: Long, horizon: Long): Unit = {
    fresh = rows
    this.settleUntil = settleUntil
    this.horizon = horizon
    allSettled = false
    key.pending.startTaking()
  }

  /** The next row with its answers, or null when there is no other in this batch; the same object each time. */
  def next(): InternalRow = {
    val answered = if (direct) answerSettled() else answerWaiting()
    if (answered == null) {
      key.pending.stopTaking()
      key.pending.addAll(fresh)
    }
    answered
  }

  /** Up to which time the watermark must go for another row to leave, if no other comes. */
  def due: Long =
    if (key.answered == key.settled) key.pending.oldest
    else {
      val row = waiting(key.answered)
      val time = row.getLong(timeField)
      var complete = Long.MinValue
      var i = 0
      while (i < key.evaluators.length) {
        val at = key.evaluators(i).bounds.completeAt(key.answered, row, time, key.settled)
        complete = math.max(complete, at)
        i += 1
      }
      math.min(complete, key.pending.oldest)
    }

  private def answerSettled(): InternalRow =
    if (!settle()) null
    else {
      areComplete(current)
      val answered = answer(current)
      consume()
      answered
    }

  private def answerWaiting(): InternalRow = {
    var answered: InternalRow = null
    var stuck = false
    while (answered == null && !stuck)
      if (key.answered < key.settled && areComplete(waiting(key.answered)))
        answered = answer(waiting(key.answered))
      else if (settle()) {
        key.waiting.append(current)
        consume()
      } else {
        stuck = allSettled
        allSettled = true
      }
    answered
  }

  /** Moves all frames to those of `row`, the first that has not left. */
  private def areComplete(row: UnsafeRow): Boolean = {
    val time = row.getLong(timeField)
    val until = if (allSettled) horizon else Long.MinValue
    var complete = true
    var i = 0
    while (complete && i < key.evaluators.length) {
      complete = key.evaluators(i).bounds.advance(key.answered, row, time, key.settled, key.newest, until)
      i += 1
    }
    complete
  }

  private def answer(row: UnsafeRow): InternalRow = {
    var i = 0
    while (i < key.evaluators.length) {
      key.evaluators(i).evaluate()
      i += 1
    }
    key.answered += 1
    if (key.answered % StateLog.RowsABlock == 0) {
      key.release()
      key.waiting.release(key.answered - 1) // the row is still to be read
    }
    output(joined(row, results))
  }

  /** Settles the next row, which becomes `current`: of one time, those that came in earlier batches first. */
  private def settle(): Boolean = {
    val kept = key.pending.head(settleUntil)
    val keptTime = if (kept == null) Long.MaxValue else kept.getLong(timeField)
    val freshTime = if (fresh.head == null) Long.MaxValue else fresh.head.getLong(timeField)
    wasPending = keptTime <= freshTime
    current = if (wasPending) kept else fresh.head
    val settles = current != null && math.min(keptTime, freshTime) <= settleUntil
    if (settles) {
      key.rows.append(summary(current))
      key.settled += 1
      key.newest = math.min(keptTime, freshTime)
    }
    settles
  }

  /** Goes on from `current`. */
  private def consume(): Unit = if (wasPending) key.pending.take() else fresh.advance()
}
