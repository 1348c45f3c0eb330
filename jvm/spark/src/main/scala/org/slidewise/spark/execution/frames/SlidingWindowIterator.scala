package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.rows.{PartitionKeys, PartitionRows, RowLog, RowsAhead}
import org.slidewise.spark.execution.surroundings.SurroundingRows
import org.slidewise.spark.execution.task.{MeasuredResource, WindowTask}

/**
 * The logs of a task's rows.
 *
 * @param summary
 *   projects a row to the columns that frames need, which go into `elements`
 * @param waiting
 *   the log of whole rows that wait for the end of their frames; none if no frame looks past the current row
 */
final private[execution] class FrameLogs(
    val summary: UnsafeProjection,
    val elements: RowLog,
    val waiting: Option[RowLog]
)

/**
 * Evaluates the frames of rows that come partition by partition and in order. Returns the same rows, each with its answers.
 *
 * The columns that frames need go into a log. If no frame looks past the current row, a row is answered and returned as it
 * arrives. Otherwise it waits in a second log until the last of its frames is complete.
 *
 * Memory: the rows from the oldest row that a later frame may read to the newest row; the waiting rows; the rows that evaluators
 * have read ahead; the states of the evaluators.
 *
 * @param surroundings
 *   the surrounding rows, and the range of results to hand out
 */
final private[execution] class SlidingWindowIterator(
    rows: RowsAhead,
    keys: PartitionKeys,
    logs: FrameLogs,
    finders: Array[FrameFinder],
    evaluators: FrameEvaluators,
    surroundings: SurroundingRows,
    output: Projection,
    task: WindowTask
) extends FrameIterator(evaluators, output, task.measures) {
  import SlidingWindowIterator.ReleaseEvery

  private[this] val summary = logs.summary
  private[this] val log = logs.elements
  private[this] val waiting = logs.waiting.orNull
  private[this] val waitingRows = logs.waiting.map(_.reader()).orNull
  private[this] val summaries = log.reader()
  private[this] var started, complete, isAtRow = false
  private[this] var arrived, answered = 0L
  private[this] var passed = 0L // in all partitions

  private[this] var fetched, fetchedKey: UnsafeRow = _ // not yet in the log
  private[this] var newest, newestSummary: UnsafeRow = _ // the last to have arrived

  private[this] object partition extends PartitionRows {
    private[this] lazy val reader = log.reader()
    private[this] var isRead = false // to its end

    override def foreachFrom(position: Long)(f: UnsafeRow => Unit): Unit = {
      // Reads ahead before `f` acquires memory, because a sorter does not spill for this log until the sorter is read.
      if (!complete && !isRead) readAhead()
      var at = position
      while (at < arrived) {
        count(at)
        f(reader(at))
        at += 1
      }
      reader.leave()
      if (!complete) peek(row => f(summary(row)))
    }

    private def readAhead(): Unit = {
      // Reading ahead overwrites the buffers of these rows.
      newest = newest.copy()
      newestSummary = newestSummary.copy()
      peek(_ => ())
      isRead = true
    }

    def reset(): Unit = isRead = false

    private def peek(f: UnsafeRow => Unit): Unit = {
      var peeked = 0L
      rows.peek { row =>
        count(peeked)
        peeked += 1
        val same = keys.same(keys.key(row), keys.current)
        if (same) f(row)
        same
      }
    }

    private def count(row: Long): Unit = if (row % ReleaseEvery == 0) task.resources.stopIfCancelled()
  }
  evaluators.mayReadAhead(partition)

  override protected def advance(): Boolean = {
    if (isAtRow) leaveRow()
    isAtRow = answered < arrived || fetched != null || rows.hasNext
    if (isAtRow) turnToNext()
    isAtRow
  }

  private def leaveRow(): Unit = {
    answered += 1
    passed += 1
    if (answered % ReleaseEvery == 0) release()
  }

  override protected def current: InternalRow = if (waiting == null) newest else waitingRows(answered)

  override protected def isHandedOut: Boolean = surroundings.handsOut(passed)

  /** Takes rows until the frames of the next row to answer are known. */
  private def turnToNext(): Unit =
    while (answered == arrived || !framesAreKnown()) {
      if (fetched == null && rows.hasNext) fetch()
      admit()
    }

  private def fetch(): Unit = {
    fetched = rows.next()
    fetchedKey = keys.key(fetched)
  }

  /** Adds the fetched row to its partition. If the row begins a new partition, completes the current partition first. */
  private def admit(): Unit =
    if (fetched == null) {
      complete = true
      evaluators.endBefore(surroundings.after)
    } else if (started && keys.same(fetchedKey, keys.current)) append()
    else if (answered < arrived) complete = true
    else {
      startPartition()
      append()
    }

  private def startPartition(): Unit = {
    val isFirst = !started
    keys.current.copyFrom(fetchedKey)
    started = true
    complete = false
    arrived = 0
    answered = 0
    partition.reset()
    log.clear()
    if (waiting != null) waiting.clear()
    finders.foreach(_.reset())
    evaluators.reset()
    if (isFirst) evaluators.startAfter(surroundings.before)
  }

  private def append(): Unit = {
    val row = summary(fetched)
    log.append(row)
    if (waiting != null) waiting.append(fetched)
    arrived += 1
    if (arrived % ReleaseEvery == 0) task.resources.stopIfCancelled()
    newest = fetched
    newestSummary = row
    fetched = null
  }

  private def framesAreKnown(): Boolean = {
    val row = if (waiting == null) newestSummary else summaries(answered)
    var known = true
    var i = 0
    while (i < finders.length) {
      known &= finders(i).advance(answered, row, arrived, complete)
      i += 1
    }
    known
  }

  override protected def widestFrame: Long = FrameFinder.widest(finders)

  private def release(): Unit = {
    task.resources.stopIfCancelled()
    var oldest = math.min(answered, evaluators.oldestNeeded)
    var i = 0
    while (i < finders.length) {
      oldest = math.min(oldest, finders(i).oldestNeeded)
      i += 1
    }
    log.release(oldest)
    if (waiting != null) waiting.release(answered)
  }
  override protected def resources: Seq[MeasuredResource] = Seq[MeasuredResource](log, rows) ++ logs.waiting
}

private[execution] object SlidingWindowIterator {
  private val ReleaseEvery = 1024L
}
