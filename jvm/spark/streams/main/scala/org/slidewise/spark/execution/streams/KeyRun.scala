package org.slidewise.spark.execution.streams

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, Projection, UnsafeProjection, UnsafeRow}

/**
 * Processes the rows of one key in a batch. Puts rows in the order of time as soon as no row can come before them. Answers rows
 * whose frames are complete, that is, computes and returns their results.
 *
 * @param summary
 *   the columns of a row that later frames need
 * @param timeField
 *   the ordinal of the event time in a row, in microseconds
 * @param direct
 *   whether a row's frames are complete as soon as the row is in order
 * @param output
 *   projects a row, joined with its results, to the output
 * @param isSilent
 *   whether frames no longer wait for rows after the last row of the key, given the time of that row
 */
final private[streams] class KeyRun(
    key: KeyState,
    summary: UnsafeProjection,
    timeField: Int,
    direct: Boolean,
    results: InternalRow,
    output: Projection,
    isSilent: Long => Boolean,
    cancellation: CancellationCheck
) {
  private[this] val joined = new JoinedRow
  private[this] val waiting = key.waiting.reader()
  private[this] var fresh: RowSource = _
  private[this] var orderUntil = 0L
  private[this] var allOrdered, hasEnded = false

  // The row that was put in order last, and whether it arrived in an earlier batch.
  private[this] var current: UnsafeRow = _
  private[this] var wasPending = false

  /**
   * Begins to process a key, whose state has been opened.
   *
   * @param rows
   *   the key's new rows by time
   * @param orderUntil
   *   the time up to which no further row will arrive
   */
  def start(rows: RowSource, orderUntil: Long): Unit = {
    cancellation.step()
    fresh = rows
    this.orderUntil = orderUntil
    allOrdered = false
    hasEnded = false
    key.pending.startTaking()
  }

  /** The next row with its results, or null if no other row is answered in this batch. Reuses the returned object. */
  def next(): InternalRow = {
    val answered = if (direct) answerDirectly() else answerWaiting()
    if (answered == null) {
      key.pending.stopTaking()
      key.pending.addAll(fresh)
    }
    answered
  }

  /** The time of the first row that is in order and has not been answered, or `Long.MaxValue`. */
  def oldestWaiting: Long =
    if (key.answered == key.ordered) Long.MaxValue else waiting(key.answered).getLong(timeField)

  /** The watermark at which the next row is answered if no other row arrives. */
  def timer: Long = {
    var complete = if (key.answered == key.ordered) Long.MaxValue else Long.MinValue
    var i = 0
    while (i < key.evaluators.length && complete != Long.MaxValue) {
      val row = waiting(key.answered)
      val at =
        key.evaluators(i).bounds.knownAt(key.answered, row, key.ordered)
      complete = math.max(complete, at)
      i += 1
    }
    math.min(complete, key.pending.oldest)
  }

  private def answerDirectly(): InternalRow =
    if (!orderNext()) null
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
      if (key.answered < key.ordered && areComplete(waiting(key.answered)))
        answered = answer(waiting(key.answered))
      else if (orderNext()) {
        key.waiting.append(current)
        consume()
      } else if (!allOrdered) allOrdered = true
      else {
        stuck = hasEnded || !ends
        hasEnded = !stuck
      }
    answered
  }

  /** Whether waiting rows are answered without the rows for which they wait, as at the end of a partition. */
  private def ends = key.answered < key.ordered && fresh.head == null && isSilent(key.newest) &&
    key.pending.head(Long.MaxValue) == null

  /**
   * Moves the frames to the frames of `row`, the first row that has not been answered. Returns whether all of them are complete.
   */
  private def areComplete(row: UnsafeRow): Boolean = {
    val horizon = if (allOrdered) orderUntil else Long.MinValue
    var complete = true
    var i = 0
    while (complete && i < key.evaluators.length) {
      complete = key.evaluators(i).bounds.advance(key.answered, row, key.ordered, hasEnded, horizon)
      i += 1
    }
    complete
  }

  private def answer(row: UnsafeRow): InternalRow = {
    cancellation.step()
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

  /** Puts the next row in order, as `current`. Among rows of one time, rows of earlier batches come first. */
  private def orderNext(): Boolean = {
    cancellation.step()
    val kept = key.pending.head(orderUntil)
    val keptTime = if (kept == null) Long.MaxValue else kept.getLong(timeField)
    val freshTime = if (fresh.head == null) Long.MaxValue else fresh.head.getLong(timeField)
    wasPending = keptTime <= freshTime
    current = if (wasPending) kept else fresh.head
    val isNext = current != null && math.min(keptTime, freshTime) <= orderUntil
    if (isNext) {
      key.rows.append(summary(current))
      key.ordered += 1
      key.newest = math.min(keptTime, freshTime)
    }
    isNext
  }

  /** Moves past `current`. */
  private def consume(): Unit = if (wasPending) key.pending.take() else fresh.advance()
}

/** Checks periodically whether the task has been cancelled. `stopIfCancelled` throws an exception in this case. */
final private[streams] class CancellationCheck(stopIfCancelled: () => Unit) {
  private[this] var steps = 0

  /** Counts a step. Callers call it for each row that is read, put in order or answered, for each key, and for each timer. */
  def step(): Unit = {
    steps += 1
    if (steps >= CancellationCheck.Every) {
      steps = 0
      stopIfCancelled()
    }
  }
}

private[streams] object CancellationCheck {
  val Every = 1024
}
