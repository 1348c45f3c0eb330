package org.slidewise.spark.execution.streams

import java.nio.{BufferUnderflowException, ByteBuffer}

/**
 * All that is kept of one key from batch to batch.
 *
 * Rows come in by [[pending]]; once no row can come before them any more they are settled, one after the other, and have a
 * position; and they leave when their frames are complete. What later frames need of a settled row is in [[rows]].
 *
 * @param waiting
 *   settled rows that have not left
 */
final private[streams] class KeyState(
    cells: KeyCells,
    val pending: PendingRows,
    val rows: StateLog,
    val waiting: StateLog,
    val evaluators: Array[StreamFrameEvaluator]
) {
  private[this] val out = new StateWriter

  /** How many rows are settled, and how many have left. */
  var settled, answered = 0L

  /** The time of the newest settled row. */
  var newest: Long = Long.MinValue

  // What the header says. The cell of section `Due` is there if one of them is known, and says the same or something earlier.
  private[this] var knownDue, knownExpiry = Long.MaxValue

  /** What was said of the key when it was closed. */
  def due: Long = knownDue
  def expiry: Long = knownExpiry

  /** Begins with what is kept of the key that `cells` has selected. */
  def open(): Unit = {
    val header = cells.get(StateCells.Header, 0L)
    if (header == null) startAfresh()
    else {
      knownDue = header.getLong(StateCells.LowField)
      knownExpiry = header.getLong(StateCells.HighField)
      read(header.getBinary(StateCells.DataField))
    }
  }

  private def startAfresh(): Unit = {
    knownDue = Long.MaxValue
    knownExpiry = Long.MaxValue
    settled = 0L
    answered = 0L
    newest = Long.MinValue
    pending.clear()
    rows.reopen(0L, 0L, RowBlock.Empty)
    waiting.reopen(0L, 0L, RowBlock.Empty)
    evaluators.foreach(_.reset())
  }

  private def read(data: Array[Byte]): Unit = {
    val in = ByteBuffer.wrap(data)
    try {
      settled = in.getLong()
      answered = in.getLong()
      newest = in.getLong()
      pending.reopen(in)
      rows.reopen(in.getLong(), settled, StateWriter.readBytes(in))
      waiting.reopen(answered, settled, StateWriter.readBytes(in))
      evaluators.foreach(_.reopen(in))
    } catch { case _: BufferUnderflowException => throw new CorruptState("a key's header is cut off") }
    if (in.hasRemaining) throw new CorruptState(s"a key's header has ${in.remaining} bytes too many")
  }

  /** Whether nothing has ever been kept of the key, and nothing need be. */
  def isBlank: Boolean =
    settled == 0L && pending.isEmpty && knownDue == Long.MaxValue && knownExpiry == Long.MaxValue

  /** Gives up rows that no later frame reads. */
  def release(): Unit = {
    var oldest = settled
    var i = 0
    while (i < evaluators.length) {
      oldest = math.min(oldest, evaluators(i).needs)
      i += 1
    }
    rows.release(oldest)
  }

  /**
   * Writes what is kept of the key.
   *
   * @param due
   *   up to which time the watermark must go for the key to have something to do
   * @param expiry
   *   after which time what is kept is of no use
   * @param reminds
   *   whether the cell of section `Due` has to say so, too
   */
  def close(due: Long, expiry: Long, reminds: Boolean): Unit = {
    release()
    out.long(settled)
    out.long(answered)
    out.long(newest)
    pending.writeTo(out)
    val openRows = rows.close()
    out.long(rows.first)
    out.bytes(openRows)
    waiting.release(answered)
    out.bytes(waiting.close())
    evaluators.foreach(_.writeTo(out))
    cells.put(StateCells.Header, 0L, due, expiry, out.result())
    if (reminds) remind(due, expiry)
  }

  /** Whether a reminder that is there comes in time for these. */
  def isRemindedBefore(due: Long, expiry: Long): Boolean =
    isSomeTime(knownDue, knownExpiry) && isSomeTime(due, expiry) && knownDue <= due && knownExpiry <= expiry

  private def isSomeTime(due: Long, expiry: Long) = due != Long.MaxValue || expiry != Long.MaxValue

  private def remind(due: Long, expiry: Long): Unit = if (due != knownDue || expiry != knownExpiry) {
    if (isSomeTime(due, expiry)) putReminder(due, expiry) else cells.remove(StateCells.Due, 0L)
  }

  private def putReminder(due: Long, expiry: Long): Unit =
    cells.put(StateCells.Due, 0L, due, expiry, RowBlock.Empty)

  /** Makes a reminder that came too early, for a key that has been opened, say what the header does. */
  def remindLater(): Unit = putReminder(knownDue, knownExpiry)

  /** Removes all that is kept of the key, which must have been opened and have no row that has not left. */
  def drop(): Unit = {
    evaluators.foreach(_.drop())
    rows.release(rows.end)
    waiting.release(waiting.end)
    cells.remove(StateCells.Header, 0L)
    remind(Long.MaxValue, Long.MaxValue)
  }
}
