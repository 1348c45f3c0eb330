package org.slidewise.spark.execution.sorting

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.Platform

import org.slidewise.spark.execution.rows.{RowFile, RowLog}

/** What is done to sorted rows before they are read, some at a time. */
private[execution] trait RowFinisher {

  /**
   * Finishes rows from the place `from` on, and locates them.
   *
   * @return
   *   one past the last that it finished; at least `from + 1`
   */
  def finish(from: Int): Int
}

/**
 * The rows of a frozen log in a given order; those that are still to come can be moved to a file.
 *
 * @param finisher
 *   called for each row once, in order
 * @param whenUsedUp
 *   called, perhaps more than once, when there are no more rows and the last is not needed any longer
 */
final private[sorting] class SortedRows(
    log: RowLog,
    private[this] var places: RowPlaces,
    private[this] var finisher: RowFinisher,
    count: Int,
    whenUsedUp: () => Unit
) extends Iterator[InternalRow] {
  private[this] var owner = Thread.currentThread()
  private[this] val row = log.newRow()
  private[this] var next = 0
  private[this] var finished = 0
  private[this] var file: RowFile = _
  private[this] var onDisk = 0L

  override def hasNext: Boolean = next < count || {
    whenUsedUp()
    false
  }

  override def next(): InternalRow = {
    owner = Thread.currentThread()
    if (file == null) {
      if (next == finished) finished = finisher.finish(next)
      places.pointTo(row, next)
    } else file.read(row)
    next += 1
    row
  }

  /** Only the thread that reads knows that no row is being read right now. */
  def canSpill: Boolean = file == null && next < count && (Thread.currentThread() eq owner)

  def spilledBytes: Long = onDisk

  /**
   * Moves the rows that are still to come to a file, after which nothing points into the log any more.
   *
   * @return
   *   the file's size in bytes
   */
  def spill(): Long = {
    val written = new RowFile
    val following = log.newRow()
    var i = next
    while (i < count) {
      if (i == finished) finished = finisher.finish(i)
      places.pointTo(following, i)
      written.write(following)
      i += 1
    }
    onDisk = written.startReading()
    file = written
    places = null
    finisher = null
    // Whoever works on the current row keeps it, in an array of its own.
    if (next > 0) row.pointTo(row.getBytes, Platform.BYTE_ARRAY_OFFSET.toLong, row.getSizeInBytes)
    onDisk
  }

  def close(): Unit = {
    next = count
    if (file != null) file.close()
  }
}
