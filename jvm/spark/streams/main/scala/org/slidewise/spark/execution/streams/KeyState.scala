package org.slidewise.spark.execution.streams

import java.nio.{BufferUnderflowException, ByteBuffer}

import org.slidewise.spark.errors.CorruptState

/**
 * The state of one key.
 *
 * A new row is in [[pending]] until no row can come before it. It is then put in order and gets a position, and leaves when its
 * frames are complete. The columns of ordered rows that later frames need are in [[rows]].
 *
 * @param waiting
 *   ordered rows that have not been answered
 */
final private[streams] class KeyState(
    cells: KeyCells,
    val pending: PendingRows,
    val rows: StateLog,
    val waiting: StateLog,
    val evaluators: Array[StreamFrameEvaluator]
) {
  private[this] val out = new StateWriter

  /** How many rows are in order, and how many of these have been answered. */
  var ordered, answered = 0L

  /** The time of the newest ordered row. */
  var newest: Long = Long.MinValue

  // As in the header. If one of them is set, the key has a timer, which is the same or earlier.
  private[this] var headerTimer, headerExpiry = Long.MaxValue

  /** What [[close]] was told last. */
  def timer: Long = headerTimer
  def expiry: Long = headerExpiry

  /** Begins with the state of the key that `cells` has selected. */
  def open(): Unit = {
    val header = cells.get(StateCells.Header, 0L)
    if (header == null) startEmpty()
    else {
      headerTimer = header.getLong(StateCells.LowField)
      headerExpiry = header.getLong(StateCells.HighField)
      read(header.getBinary(StateCells.DataField))
    }
  }

  private def startEmpty(): Unit = {
    headerTimer = Long.MaxValue
    headerExpiry = Long.MaxValue
    ordered = 0L
    answered = 0L
    newest = Long.MinValue
    pending.clear()
    rows.reopen(0L, 0L, PendingBlock.Empty)
    waiting.reopen(0L, 0L, PendingBlock.Empty)
    evaluators.foreach(_.reset())
  }

  private def read(data: Array[Byte]): Unit = {
    val in = ByteBuffer.wrap(data)
    try {
      ordered = in.getLong()
      answered = in.getLong()
      newest = in.getLong()
      if (answered < 0 || answered > ordered)
        throw new CorruptState(s"$answered of $ordered rows are answered")
      pending.reopen(in)
      rows.reopen(in.getLong(), ordered, StateWriter.readBytes(in))
      waiting.reopen(answered, ordered, StateWriter.readBytes(in))
      evaluators.foreach { evaluator =>
        evaluator.reopen(in)
        if (evaluator.bounds.hi > ordered)
          throw new CorruptState(s"a frame of $ordered rows ends at position ${evaluator.bounds.hi}")
      }
    } catch { case _: BufferUnderflowException => throw new CorruptState("a key's header is cut off") }
    if (in.hasRemaining) throw new CorruptState(s"a key's header has ${in.remaining} bytes too many")
  }

  /** Whether the key has no state. */
  def isEmpty: Boolean =
    ordered == 0L && pending.isEmpty && headerTimer == Long.MaxValue && headerExpiry == Long.MaxValue

  /** Removes rows that no later frame reads. */
  def release(): Unit = {
    var oldest = ordered
    var i = 0
    while (i < evaluators.length) {
      oldest = math.min(oldest, evaluators(i).needs)
      i += 1
    }
    rows.release(oldest)
  }

  /**
   * Writes the state.
   *
   * @param timer
   *   the time that the watermark must pass for the key to have rows to answer
   * @param expiry
   *   the time after which the state is of no use
   * @param writesTimer
   *   whether to write the timer, too, if it changes
   */
  def close(timer: Long, expiry: Long, writesTimer: Boolean): Unit = {
    release()
    out.long(ordered)
    out.long(answered)
    out.long(newest)
    pending.writeTo(out)
    val openRows = rows.close()
    out.long(rows.first)
    out.bytes(openRows)
    waiting.release(answered)
    out.bytes(waiting.close())
    evaluators.foreach(_.writeTo(out))
    cells.put(StateCells.Header, 0L, timer, expiry, out.result())
    if (writesTimer) setTimer(timer, expiry)
  }

  /** Whether the timer that the key has is no later than these. */
  def hasTimerBefore(timer: Long, expiry: Long): Boolean =
    isSet(headerTimer, headerExpiry) && isSet(timer, expiry) && headerTimer <= timer && headerExpiry <= expiry

  private def isSet(timer: Long, expiry: Long) = timer != Long.MaxValue || expiry != Long.MaxValue

  private def setTimer(timer: Long, expiry: Long): Unit = if (
    timer != headerTimer || expiry != headerExpiry
  ) {
    if (isSet(timer, expiry)) putTimer(timer, expiry) else cells.remove(StateCells.Timers, 0L)
  }

  private def putTimer(timer: Long, expiry: Long): Unit =
    cells.put(StateCells.Timers, 0L, timer, expiry, PendingBlock.Empty)

  /** Sets a timer that was too early, of a key that has been opened, to what the header says. */
  def correctTimer(): Unit = putTimer(headerTimer, headerExpiry)

  /** Removes the state of a key that has been opened and has no row left to answer. */
  def drop(): Unit = {
    evaluators.foreach(_.drop())
    rows.release(rows.end)
    waiting.release(waiting.end)
    cells.remove(StateCells.Header, 0L)
    setTimer(Long.MaxValue, Long.MaxValue)
  }
}
