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
 * @param partition
 *   the state of the partition, to which changes are reported
 */
final private[streams] class KeyState(
    cells: KeyCells,
    val pending: PendingRows,
    val rows: StateLog,
    val waiting: StateLog,
    val evaluators: Array[StreamFrameEvaluator],
    timer: KeyTimer,
    partition: PartitionState
) {
  import KeyState._

  private[this] val out = new StateWriter

  /** The number of rows that are in order, and the number of these that have been answered. */
  var ordered, answered = 0L

  /** The time of the newest ordered row. */
  var newest: Long = Long.MinValue

  // The values in the stored header. The timer may be earlier than the key needs.
  private[this] var isStored = false
  private[this] var storedTimer, storedOldest = Never
  private[this] var storedWaiting = 0L

  /** Whether the key has been opened from a state. */
  def exists: Boolean = isStored

  /** The time of its timer, or `Long.MaxValue`. */
  def timerTime: Long = storedTimer

  /** Begins with the state of the key that `cells` has selected. */
  def open(): Unit = {
    val header = cells.get(StateCells.Header, 0L)
    isStored = header != null
    if (isStored) read(header.getBinary(StateCells.DataField)) else startEmpty()
    storedWaiting = waitingRows
  }

  /** The number of rows that have not been answered. */
  private def waitingRows = pending.count + ordered - answered

  private def startEmpty(): Unit = {
    storedTimer = Never
    storedOldest = Never
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
      storedTimer = in.getLong()
      storedOldest = in.getLong()
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

  /** Whether the key has had no rows. */
  def isEmpty: Boolean = ordered == 0L && pending.isEmpty

  /** The time of the last row if no row waits for the watermark, and otherwise `Long.MaxValue`. */
  def silentSince: Long = if (pending.isEmpty && ordered > 0L) newest else Never

  /** Removes rows that no later frame reads. */
  def release(): Unit = {
    var oldest = ordered
    var i = 0
    while (i < evaluators.length) {
      oldest = math.min(oldest, evaluators(i).oldestNeeded)
      i += 1
    }
    rows.release(oldest)
  }

  /**
   * Writes the state.
   *
   * @param due
   *   the watermark at which the key has something to do, or `Long.MaxValue`
   * @param timerTime
   *   the time of its timer, which is the same or earlier
   * @param oldest
   *   the time of the first row that is in order and has not been answered, or `Long.MaxValue`
   */
  def close(due: Long, timerTime: Long, oldest: Long): Unit = {
    val silent = silentSince
    moveTimer(timerTime)
    release()
    out.long(ordered)
    out.long(answered)
    out.long(newest)
    out.long(storedTimer)
    out.long(oldest)
    report(1L, waitingRows, oldest)
    pending.writeTo(out)
    val openRows = rows.close()
    out.long(rows.first)
    out.bytes(openRows)
    waiting.release(answered)
    out.bytes(waiting.close())
    evaluators.foreach(_.writeTo(out))
    cells.put(StateCells.Header, 0L, due, silent, out.result())
  }

  private def moveTimer(to: Long): Unit = if (to != storedTimer) {
    if (storedTimer != Never) timer.remove(storedTimer)
    if (to != Never) timer.set(to)
    storedTimer = to
  }

  /** Reports the changes since the key was opened to the partition. */
  private def report(keys: Long, waiting: Long, oldest: Long): Unit = {
    partition.keys += keys - (if (isStored) 1L else 0L)
    partition.waitingRows += waiting - storedWaiting
    if (oldest != storedOldest) {
      if (storedOldest != Never) partition.oldestWaiting.remove(storedOldest)
      if (oldest != Never) partition.oldestWaiting.add(oldest)
    }
  }

  /** Removes the state of a key that has been opened and has no row left to answer. */
  def drop(): Unit = {
    evaluators.foreach(_.drop())
    rows.release(rows.end)
    waiting.release(waiting.end)
    moveTimer(Never)
    report(0L, 0L, Never)
    if (isStored) cells.remove(StateCells.Header, 0L)
  }
}

private[streams] object KeyState {
  private val Never = Long.MaxValue
}
