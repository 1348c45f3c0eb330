package org.slidewise.spark.execution.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import org.slidewise.spark.execution.task.MeasuredResource

/** The rows of the current partition, including rows that have not arrived. Each row has the columns that frames need. */
private[execution] trait PartitionRows {

  /** Calls `f` with the row at `position` and all later rows of the partition. The row object is reused. */
  def foreachFrom(position: Long)(f: UnsafeRow => Unit): Unit
}

/**
 * An iterator whose next rows can be read ahead. Rows that were read ahead stay in a log, which spills, until the iterator
 * returns them.
 *
 * @param newLog
 *   creates the log of the rows; called when rows are first read ahead
 */
final private[execution] class RowsAhead(rows: Iterator[InternalRow], newLog: () => RowLog)
    extends MeasuredResource {
  import RowsAhead.ReleaseEvery

  private[this] var log: RowLog = _
  private[this] var taking, reading: RowLogReader = _
  private[this] var taken = 0L // of the log
  private[this] var isClosed = false

  private def waits: Boolean = log != null && taken < log.end

  def hasNext: Boolean = !isClosed && (waits || rows.hasNext)

  /** The next row; valid until the next call of any method. */
  def next(): UnsafeRow =
    if (!waits) rows.next().asInstanceOf[UnsafeRow]
    else {
      if (taken % ReleaseEvery == 0) log.release(taken)
      taken += 1
      taking(taken - 1)
    }

  /** Calls `goesOn` with the rows that the iterator has not returned, in order, until `goesOn` returns false. */
  def peek(goesOn: UnsafeRow => Boolean): Unit = {
    if (log == null) {
      log = newLog()
      taking = log.reader()
      reading = log.reader()
    } else if (!waits) {
      log.clear()
      taken = 0L
    }
    var position = taken
    var more = true
    while (more && position < log.end) {
      more = goesOn(reading(position))
      position += 1
    }
    reading.leave()
    while (more && rows.hasNext) {
      val row = rows.next().asInstanceOf[UnsafeRow]
      log.append(row)
      more = goesOn(row)
    }
  }

  def peakMemory: Long = if (log == null) 0L else log.peakMemory
  def spilledBytes: Long = if (log == null) 0L else log.spilledBytes

  /** Gives memory and files back. Afterwards, the iterator is empty. */
  def close(): Unit = {
    isClosed = true
    if (log != null) log.close()
  }
}

private object RowsAhead {
  private val ReleaseEvery = 1024L
}
