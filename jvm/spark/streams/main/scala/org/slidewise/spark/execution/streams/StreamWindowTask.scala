package org.slidewise.spark.execution.streams

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.metric.SQLMetric

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.plan.TimeReach

/**
 * Takes the rows of one state partition, sorted by key and time, and returns answered rows. Keys with new rows come first. Keys
 * without new rows follow, if their timers have come.
 *
 * @param orderUntil
 *   rows up to this time are put in order in this batch, in microseconds
 * @param dropUntil
 *   rows up to this time are late
 * @param eager
 *   whether rows are put in order when they arrive; rows before the newest of their key are then late
 * @param neededUntil
 *   the last watermark at which the state of a key is of use, given the time of its newest row
 * @param watermark
 *   the watermark in microseconds, or `Long.MinValue` if there is none
 * @param atEnd
 *   called once, when all rows have been processed and all state is written
 */
final private[streams] class StreamWindowTask(
    rows: Iterator[UnsafeRow],
    keyOf: UnsafeProjection,
    cells: StateCells,
    key: KeyState,
    run: KeyRun,
    timeField: Int,
    orderUntil: Long,
    dropUntil: Long,
    eager: Boolean,
    neededUntil: Long => Long,
    counts: StreamCounts,
    lateRows: LateRows,
    watermark: Long,
    timers: Timers,
    cancellation: CancellationCheck,
    atEnd: () => Unit
) extends AbstractIterator[InternalRow] {

  /** The rows of one key, without those that are late or have no time. */
  private object keyRows extends RowSource {
    private[this] var upcoming: UnsafeRow = if (rows.hasNext) rows.next() else null
    private[this] var ofKey: UnsafeRow = _ // the key that is being read
    private[this] var lateUntil = dropUntil

    def hasKey: Boolean = upcoming != null
    def firstOfKey: UnsafeRow = upcoming

    /** Goes on to the key of the upcoming row. */
    def startKey(): Unit = {
      ofKey = keyOf(upcoming).copy()
      lateUntil = if (eager && key.newest != Long.MinValue) math.max(dropUntil, key.newest - 1) else dropUntil
      skip()
    }

    override def head: UnsafeRow = if (ofKey == null) null else upcoming

    override def advance(): Unit = {
      read()
      skip()
    }

    private def read(): Unit = {
      cancellation.step()
      upcoming = if (rows.hasNext) rows.next() else null
    }

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

  private object noRows extends RowSource {
    def head: UnsafeRow = null
    def advance(): Unit = ()
  }

  private[this] var isOpen, hasRows, ended = false
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
    if (row != null) counts.output += 1
    else if (!ended) {
      ended = true
      lateRows.commit()
      timers.save()
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
      run.start(keyRows, orderUntil)
    } else if (watermark != Long.MinValue) openNextTimer()
    isOpen
  }

  private def openKey(): Unit = {
    cancellation.step()
    isOpen = true
    counts.keys += 1
    key.open()
  }

  private def openNextTimer(): Unit = {
    val timer = timers.nextKey()
    if (timer != null) {
      cells.selectKey(timer)
      openKey()
      if (!key.exists) throw new CorruptState("a timer is of a key without a header")
      run.start(noRows, orderUntil)
    }
  }

  private def closeKey(): Unit = {
    isOpen = false
    val silent = key.silentSince
    val needed = if (silent == Long.MaxValue) silent else neededUntil(silent)
    if (needed < watermark) {
      if (key.exists) counts.expired += 1
      key.drop()
    } else if (!key.isEmpty) keep(math.min(run.timer, TimeReach.plus(needed, 1L)))
  }

  private def keep(due: Long): Unit = key.close(due, timerFor(due), run.oldestWaiting)

  /**
   * The timer of a key that is due at `due`. An existing timer stays if it has not come and is early enough. A key that gets rows
   * in each batch has a timer that has always come, so that it is not written in each batch.
   */
  private def timerFor(due: Long): Long = {
    val timer = key.timerTime
    if (due == Long.MaxValue || timer > due) due
    else if (timer > watermark) timer
    else if (hasRows && timers.keep()) Timers.Always
    else due
  }
}

/** The counts of a task, and the values that its operator reports in addition to the metrics of every stateful operator. */
final private[streams] class StreamCounts {
  var output, keys, expired, late, timeless = 0L

  def report(
      cells: StateCells,
      evaluators: Array[StreamFrameEvaluator],
      partition: PartitionState,
      watermark: Long,
      metric: String => SQLMetric
  ): Unit = {
    metric("numOutputRows") += output
    metric("numRowsDroppedByWatermark") += late
    metric("numUpdatedStateRows") += cells.written
    metric("numRemovedStateRows") += cells.removed
    metric(StreamCounts.Combines) += evaluators.map(_.combines).sum
    metric(StreamCounts.Keys) += keys
    metric(StreamCounts.Timeless) += timeless
    metric(StreamCounts.LiveKeys) += partition.keys
    metric(StreamCounts.ExpiredKeys) += expired
    metric(StreamCounts.WaitingRows) += partition.waitingRows
    metric(StreamCounts.OldestWaiting) += partition.behind(watermark) / 1000
    metric(StreamCounts.StateBytes) += partition.bytes
  }
}

private[streams] object StreamCounts {
  val Combines = "combines"
  val Keys = "keysTouched"
  val Timeless = "rowsWithoutEventTime"
  val LiveKeys = "liveKeys"
  val ExpiredKeys = "expiredKeys"
  val WaitingRows = "waitingRows"
  val OldestWaiting = "oldestWaitingMs"
  val StateBytes = "stateBytes"
}
