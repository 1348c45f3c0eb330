package org.slidewise.spark.execution.streams

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
      while (isOfKey && isDropped) upcoming = if (rows.hasNext) rows.next() else null
      if (!isOfKey) ofKey = null
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

  import StreamWindowTask.CheckEvery

  private[this] var isOpen, ended = false
  private[this] var due: Array[UnsafeRow] = _
  private[this] var nextDue = 0
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

  private def openNext(): Boolean =
    if (keyRows.hasKey) {
      cells.select(keyRows.firstOfKey)
      openKey()
      keyRows.startKey()
      run.start(keyRows, settleUntil, settleUntil)
      true
    } else {
      if (due == null) findDue()
      val more = nextDue < due.length
      if (more) {
        cells.selectKey(due(nextDue))
        nextDue += 1
        openKey()
        run.start(noRows, settleUntil, settleUntil)
      }
      more
    }

  private def openKey(): Unit = {
    isOpen = true
    counts.keys += 1
    key.open()
  }

  private def findDue(): Unit = due =
    if (watermark == Long.MinValue) Array.empty
    else
      cells.keysWhere(StateCells.Due) { value =>
        value.getLong(StateCells.LowField) <= settleUntil && !eager ||
        value.getLong(StateCells.HighField) < watermark
      }

  private def closeKey(): Unit = {
    isOpen = false
    val expiry =
      if (key.pending.isEmpty && key.answered == key.settled) expiryOf(key.newest) else Long.MaxValue
    if (expiry < watermark) key.drop() else if (!key.isBlank) key.close(run.due, expiry)
  }
}

private object StreamWindowTask {
  private val CheckEvery = 4096L
}

/** What one task has counted. */
final private[streams] class StreamCounts {
  var output, keys, late, timeless = 0L
}
