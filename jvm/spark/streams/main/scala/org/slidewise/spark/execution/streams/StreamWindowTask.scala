package org.slidewise.spark.execution.streams

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric

import org.slidewise.spark.errors.CorruptState
import org.slidewise.spark.plan.TimeReach

/**
 * Processes the rows of one state partition and returns answered rows. Keys with new rows come first. Keys without new rows follow
 * if their timers are due.
 *
 * @param atEnd
 *   called once, when all rows have been processed and all state of the keys is written
 */
final private[streams] class StreamWindowTask(
    arrived: ArrivedRows,
    cells: StateCells,
    key: KeyState,
    run: KeyRun,
    times: BatchTimes,
    timers: Timers,
    counts: StreamCounts,
    atEnd: () => Unit
) extends AbstractIterator[InternalRow] {

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
      arrived.commit()
      timers.save()
      atEnd()
    }
    row
  }

  private def openNext(): Boolean = {
    hasRows = arrived.hasKey
    if (hasRows) {
      cells.select(arrived.firstOfKey)
      openKey()
      arrived.startKey(key.newest)
      run.start(arrived, times.orderUntil)
    } else if (times.watermark != Long.MinValue) openNextTimer()
    isOpen
  }

  private def openKey(): Unit = {
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
      run.start(noRows, times.orderUntil)
    }
  }

  private def closeKey(): Unit = {
    isOpen = false
    val silent = key.silentSince
    val needed = if (silent == Long.MaxValue) silent else times.neededUntil(silent)
    if (needed < times.watermark) {
      if (key.exists) counts.expired += 1
      key.drop()
    } else if (!key.isEmpty) keep(math.min(run.timer, TimeReach.plus(needed, 1L)))
  }

  private def keep(due: Long): Unit = key.close(due, timerFor(due), run.oldestWaiting)

  /**
   * The timer of a key that is due at `due`. An existing timer stays if it is not due yet and early enough. A key with rows in each
   * batch has a timer that is always due, so that no batch rewrites the timer.
   */
  private def timerFor(due: Long): Long = {
    val timer = key.timerTime
    if (due == Long.MaxValue || timer > due) due
    else if (timer > times.watermark) timer
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
