package org.slidewise.spark.execution.streams

import java.util.HashSet

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}

/**
 * Rows of one state partition in, sorted by key and time; answered rows out. First the keys that have new rows, then those
 * that have only rows whose time has come.
 *
 * @param settleUntil
 *   rows up to this time are settled in this batch, in microseconds
 * @param dropUntil
 *   rows up to this time come too late
 * @param eager
 *   whether rows are settled when they arrive, and those before the newest of their key come too late
 * @param expiryOf
 *   until when what is kept of a key is of use, given the time of its newest row
 * @param watermark
 *   in microseconds, or `Long.MinValue` if there is none
 * @param stopIfCancelled
 *   called now and then
 * @param atEnd
 *   called once, when the rows are used up and all state is written
 */
final private[streams] class StreamWindowTask(
    rows: Iterator[UnsafeRow],
    keyOf: UnsafeProjection,
    cells: StateCells,
    key: KeyState,
    run: KeyRun,
    timeField: Int,
    settleUntil: Long,
    dropUntil: Long,
    eager: Boolean,
    expiryOf: Long => Long,
    counts: StreamCounts,
    lateRows: LateRows,
    watermark: Long,
    stopIfCancelled: () => Unit,
    atEnd: () => Unit
) extends Iterator[InternalRow] {

  /** The rows of one key, without those that come too late or have no time. */
  private object keyRows extends RowSource {
    private[this] var upcoming: UnsafeRow = if (rows.hasNext) rows.next() else null
    private[this] var ofKey: UnsafeRow = _ // the key that is being read
    private[this] var tooLate = dropUntil

    def hasKey: Boolean = upcoming != null
    def firstOfKey: UnsafeRow = upcoming

    /** Goes on to the key of the upcoming row. */
    def startKey(): Unit = {
      ofKey = keyOf(upcoming).copy()
      tooLate = if (eager && key.newest != Long.MinValue) math.max(dropUntil, key.newest - 1) else dropUntil
      skip()
    }

    override def head: UnsafeRow = if (ofKey == null) null else upcoming

    override def advance(): Unit = {
      upcoming = if (rows.hasNext) rows.next() else null
      skip()
    }

    private def skip(): Unit = {
      var belongs = isOfKey
      while (belongs && isDropped) {
        upcoming = if (rows.hasNext) rows.next() else null
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
        val late = upcoming.getLong(timeField) <= tooLate
        if (late) {
          counts.late += 1
          lateRows.add(upcoming)
        }
        late
      }
  }

  private object noRows extends RowSource {
    def head: UnsafeRow = null
    def advance(): Unit = ()
  }

  import StreamWindowTask._

  private[this] var isOpen, hasRows, ended = false
  private[this] var due: Array[UnsafeRow] = _
  private[this] var nextDue = 0

  // Keys that had rows, and whose reminders say something earlier than they would: those have been heeded.
  private[this] val heeded = new HashSet[UnsafeRow]
  private[this] var heededBytes = 0L
  private[this] var found: InternalRow = _

  override def hasNext: Boolean = {
    if (found == null) found = compute()
    found != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more rows")
    val row = found
    found = null
    row
  }

  private def compute(): InternalRow = {
    var row: InternalRow = null
    while (row == null && (isOpen || openNext())) {
      row = run.next()
      if (row == null) closeKey()
    }
    if (row != null) {
      counts.output += 1
      if (counts.output % CheckEvery == 0) stopIfCancelled()
    } else if (!ended) {
      ended = true
      lateRows.commit()
      atEnd()
    }
    row
  }

  private def openNext(): Boolean = {
    hasRows = keyRows.hasKey
    if (hasRows) {
      cells.select(keyRows.firstOfKey)
      openKey()
      keyRows.startKey()
      run.start(keyRows, settleUntil, settleUntil)
    } else {
      if (due == null) findDue()
      while (!isOpen && nextDue < due.length) {
        cells.selectKey(due(nextDue))
        nextDue += 1
        openDue()
      }
    }
    isOpen
  }

  private def openKey(): Unit = {
    isOpen = true
    counts.keys += 1
    key.open()
  }

  private def openDue(): Unit = {
    openKey()
    if (isDue(key.due, key.expiry)) run.start(noRows, settleUntil, settleUntil)
    else {
      isOpen = false
      key.remindLater()
    }
  }

  private def isDue(due: Long, expiry: Long) = due <= settleUntil && !eager || expiry < watermark

  private def findDue(): Unit = due =
    if (watermark == Long.MinValue) Array.empty
    else
      cells.keysWhere(StateCells.Due) { (key, value) =>
        val isNamed = isDue(value.getLong(StateCells.LowField), value.getLong(StateCells.HighField))
        isNamed && !heeded.contains(key)
      }

  private def closeKey(): Unit = {
    isOpen = false
    val expiry =
      if (key.pending.isEmpty && key.answered == key.settled) expiryOf(key.newest) else Long.MaxValue
    if (expiry < watermark) key.drop() else if (!key.isBlank) keep(run.due, expiry)
  }

  /** A key that gets rows in each batch has its reminder written once, and not in each. */
  private def keep(due: Long, expiry: Long): Unit = {
    val reminded = hasRows && heededBytes < HeededBytes && key.isRemindedBefore(due, expiry)
    key.close(due, expiry, !reminded)
    if (reminded) {
      val reminder = cells.keyOf(StateCells.Due)
      heeded.add(reminder)
      heededBytes += reminder.getSizeInBytes + HeededOverhead
    }
  }
}

private object StreamWindowTask {
  private val CheckEvery = 4096L

  /** How much memory the keys may take whose reminders are left as they are. */
  private val HeededBytes = 16L << 20
  private val HeededOverhead = 128L
}

/** What one task has counted. */
final private[streams] class StreamCounts {
  var output, keys, late, timeless = 0L
}
