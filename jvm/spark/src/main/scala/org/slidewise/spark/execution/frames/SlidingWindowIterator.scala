package org.slidewise.spark.execution.frames

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, Projection, UnsafeProjection, UnsafeRow}

import org.slidewise.spark.execution.rows.{PartitionKeys, PartitionRows, RowLog, RowsAhead}
import org.slidewise.spark.execution.surroundings.{PartialAggregate, SurroundingRows, SurroundingStates}
import org.slidewise.spark.execution.task.{TaskResources, WindowMeasures}

/**
 * Evaluates the frames of rows that come partition by partition and in order. Returns the same rows, each with its answers.
 *
 * The columns that frames need go into a log. If no frame looks past the current row, a row is answered and returned as it
 * arrives. Otherwise it waits in a second log until the last of its frames is complete.
 *
 * Memory: the rows from the oldest that a later frame may read to the newest that has arrived, in `log`; the rows that wait, in
 * `waiting`; the rows that evaluators have read ahead; the states of the evaluators.
 *
 * @param summary
 *   projects a row to the columns that go into the log
 * @param waiting
 *   the log of rows that wait; none if no frame looks past the current row
 * @param surroundings
 *   the surroundings of the results that are handed out
 * @param statesOf
 *   prepares partial aggregates of surrounding rows for the evaluators; returns none if there are no such rows
 * @param output
 *   projects a row, joined with its answers, to the output
 */
final private[execution] class SlidingWindowIterator(
    rows: RowsAhead,
    summary: UnsafeProjection,
    grouping: PartitionKeys,
    log: RowLog,
    waiting: Option[RowLog],
    bounds: Array[TableBounds],
    evaluators: Array[FrameEvaluator],
    surroundings: SurroundingRows,
    statesOf: PartialAggregate => Option[SurroundingStates],
    answers: InternalRow,
    output: Projection,
    measures: WindowMeasures,
    resources: TaskResources
) extends AbstractIterator[InternalRow] {
  import SlidingWindowIterator.ReleaseEvery

  private[this] val joined = new JoinedRow
  private[this] val waitingRows = waiting.map(_.reader())
  private[this] val summaries = log.reader()
  private[this] var started, complete, closed = false
  private[this] var arrived, answered = 0L
  private[this] var passed = 0L // in all partitions

  private[this] var fetched, fetchedKey: UnsafeRow = _ // not yet in the log
  private[this] var newest, newestSummary: UnsafeRow = _ // the last to have arrived

  private[this] object partition extends PartitionRows {
    private[this] lazy val reader = log.reader()
    private[this] var isRead = false // to its end

    override def foreachFrom(position: Long)(f: UnsafeRow => Unit): Unit = {
      // Before `f` takes memory: a sorter gives none back to the log of these rows until it is read.
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
      // Rows that follow are written to where these are.
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
        val same = grouping.same(grouping.key(row), grouping.current)
        if (same) f(row)
        same
      }
    }

    private def count(row: Long): Unit = if (row % ReleaseEvery == 0) resources.stopIfCancelled()
  }
  evaluators.foreach(_.mayReadAhead(partition))

  override def hasNext: Boolean = {
    val more = answered < arrived || fetched != null || rows.hasNext
    if (!more) close()
    more
  }

  override def next(): InternalRow = {
    turnToNext()
    answer()
  }

  /** Skips `count` rows that have been answered elsewhere. */
  def pass(count: Int): Unit =
    for (_ <- 0 until count) {
      turnToNext()
      answered += 1
      passed += 1
    }

  /** Takes rows until the frames of the next row to answer are known. */
  private def turnToNext(): Unit =
    while (answered == arrived || !framesAreKnown()) {
      if (fetched == null && rows.hasNext) fetch()
      if (fetched == null && answered == arrived) throw new NoSuchElementException("there are no more rows")
      admit()
    }

  private def fetch(): Unit = {
    fetched = rows.next()
    fetchedKey = grouping.key(fetched)
  }

  /** Takes the fetched row into the current partition, or closes the partition if the row is not of it. */
  private def admit(): Unit =
    if (fetched == null) {
      complete = true
      statesOf(surroundings.after).foreach(rows => evaluators.foreach(_.endBefore(rows)))
    } else if (started && grouping.same(fetchedKey, grouping.current)) append()
    else if (answered < arrived) complete = true
    else {
      startPartition()
      append()
    }

  private def startPartition(): Unit = {
    val isFirst = !started
    grouping.current.copyFrom(fetchedKey)
    started = true
    complete = false
    arrived = 0
    answered = 0
    partition.reset()
    log.clear()
    waiting.foreach(_.clear())
    bounds.foreach(_.reset())
    evaluators.foreach(_.reset())
    if (isFirst) statesOf(surroundings.before).foreach(rows => evaluators.foreach(_.startAfter(rows)))
  }

  private def append(): Unit = {
    val row = summary(fetched)
    log.append(row)
    waiting.foreach(_.append(fetched))
    arrived += 1
    if (arrived % ReleaseEvery == 0) resources.stopIfCancelled()
    newest = fetched
    newestSummary = row
    fetched = null
  }

  private def framesAreKnown(): Boolean = {
    val current = if (waiting.isEmpty) newestSummary else summaries(answered)
    var known = true
    var i = 0
    while (i < bounds.length) {
      known &= bounds(i).advance(answered, current, arrived, complete)
      i += 1
    }
    known
  }

  private def answer(): InternalRow = {
    val isHandedOut = surroundings.handsOut(passed)
    val begin = if (isHandedOut) measures.begin() else 0L
    if (isHandedOut) evaluate()
    val row = output(joined(if (waiting.isEmpty) newest else waitingRows.get(answered), answers))
    answered += 1
    passed += 1
    if (answered % ReleaseEvery == 0) release()
    if (isHandedOut) measures.end(begin, widestFrame)
    row
  }

  private def evaluate(): Unit = {
    var i = 0
    while (i < evaluators.length) {
      evaluators(i).evaluate()
      i += 1
    }
  }

  private def widestFrame: Long = {
    var widest = 0L
    var i = 0
    while (i < bounds.length) {
      widest = math.max(widest, bounds(i).hi - bounds(i).lo)
      i += 1
    }
    widest
  }

  private def release(): Unit = {
    resources.stopIfCancelled()
    var oldest = answered
    var i = 0
    while (i < bounds.length) {
      oldest = math.min(oldest, bounds(i).oldestNeeded)
      i += 1
    }
    log.release(math.min(oldest, FrameEvaluator.oldestNeeded(evaluators)))
    waiting.foreach(_.release(answered - 1)) // the row is still to be read
  }

  /** Releases memory and files, and reports the measurements. Later calls do nothing. */
  def close(): Unit = if (!closed) {
    closed = true
    val logs = log +: waiting.toSeq
    val (peaks, spills) =
      (logs.map(_.peakMemory) :+ rows.peakMemory, logs.map(_.spilledBytes) :+ rows.spilledBytes)
    measures.reportRows(evaluators.map(_.combines).sum)
    measures.countRecalculated(evaluators.map(_.recalculated).sum)
    measures.countSorted(evaluators.map(_.sortedPartitions).sum)
    measures.reportMemory(
      peaks.sum + evaluators.map(_.peakMemory).sum,
      spills.sum + evaluators.map(_.spilledBytes).sum
    )
    log.close()
    rows.close()
    waiting.foreach(_.close())
    evaluators.foreach(_.close())
  }
}

private[execution] object SlidingWindowIterator {
  private val ReleaseEvery = 1024L
}
