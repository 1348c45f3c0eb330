package org.slidewise.spark.execution.sorting

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.Platform

import org.slidewise.spark.execution.rows.{RowFile, RowLog}
import org.slidewise.spark.execution.task.TaskResources

/** Completes sorted rows before they are read, some at a time. */
private[execution] trait RowFinisher {

  /**
   * Finishes rows from the place `from` on, and locates them. Must not acquire memory: the memory manager could then ask these
   * rows to spill.
   *
   * @return
   *   one past the last that it finished; at least `from + 1`
   */
  def finish(from: Int): Int
}

/** A row cannot be finished; `error` is for whoever reads the row. */
final private[execution] class RowFailed(val error: RuntimeException)
    extends RuntimeException(null, error, true, false)

/**
 * The rows of a frozen log in a given order. Rows that have not been read yet can be moved to a file.
 *
 * Memory: the rows are the log's. After a spill one row, and two buffers of 8 KiB.
 *
 * @param finisher
 *   completes each row once, in order
 * @param whenUsedUp
 *   called, perhaps more than once, when there are no more rows and the last is not needed any longer
 */
final private[sorting] class SortedRows(
    log: RowLog,
    private[this] var places: RowPlaces,
    private[this] var finisher: RowFinisher,
    count: Int,
    whenUsedUp: () => Unit,
    resources: TaskResources
) extends AbstractIterator[InternalRow] {
  private[this] var owner = Thread.currentThread()
  private[this] val row = log.newRow()
  private[this] var next = 0
  private[this] var finished = 0 // rows before this place are complete
  private[this] var located = 0 // rows from `next` to this place can be pointed to
  private[this] var file: RowFile = _
  private[this] var onDisk = 0L

  override def hasNext: Boolean = next < count || {
    whenUsedUp()
    false
  }

  override def next(): InternalRow = {
    owner = Thread.currentThread()
    if (file == null) {
      if (next == located)
        try locate(next)
        catch { case failed: RowFailed => throw failed.error }
      places.pointTo(row, next)
    } else file.read(row)
    next += 1
    row
  }

  private def locate(from: Int): Unit =
    if (from == finished) {
      finished = finisher.finish(from)
      located = finished
    } else {
      located = math.min(from + RowPlaces.Together, finished)
      places.locate(from, located)
    }

  /** Only the reading thread may spill: no row is being read while it asks. */
  def canSpill: Boolean = file == null && next < count && (Thread.currentThread() eq owner)

  def spilledBytes: Long = onDisk

  /**
   * Moves the rows that are still to come to a file, after which nothing points into the log any more. If that fails, the
   * file is deleted and the rows stay where they are.
   *
   * @return
   *   the file's size in bytes; none if a row cannot be finished, whose error is for its reader
   */
  def spill(): Option[Long] = {
    val written = new RowFile
    try {
      write(written)
      file = written
      places = null
      finisher = null
      // Whoever works on the current row keeps it, in an array of its own.
      if (next > 0) row.pointTo(row.getBytes, Platform.BYTE_ARRAY_OFFSET.toLong, row.getSizeInBytes)
      Some(onDisk)
    } catch {
      case failed: RowFailed =>
        discard(written, failed)
        None
      case error: Throwable =>
        discard(written, error)
        throw error
    }
  }

  private def discard(written: RowFile, error: Throwable): Unit = {
    try written.close()
    catch { case e: java.io.IOException => error.addSuppressed(e) }
    located = next
  }

  private def write(to: RowFile): Unit = {
    val following = log.newRow()
    var i = next
    while (i < count) {
      if (i == located) {
        resources.stopIfCancelled()
        locate(i)
      }
      places.pointTo(following, i)
      to.write(following)
      i += 1
    }
    onDisk = to.startReading()
  }

  def close(): Unit = {
    next = count
    if (file != null) file.close()
  }
}

/**
 * Sorted rows.
 *
 * @param finished
 *   whether a [[RowFinisher]] finishes them as they are read
 */
final private[execution] case class SortResult(
    rows: Iterator[InternalRow],
    finished: Boolean
)
