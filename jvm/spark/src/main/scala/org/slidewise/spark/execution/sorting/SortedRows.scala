package org.slidewise.spark.execution.sorting

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.ColumnarBatch

import org.slidewise.spark.execution.columns.RowBatches
import org.slidewise.spark.execution.rows.{RowFile, RowsBetween}
import org.slidewise.spark.execution.task.TaskResources

/**
 * A sorter's rows in order, with their results. Rows that have not been read yet can be moved to a file.
 *
 * Memory: the sorter holds the rows; [[RowAssembler]] or [[StoredBatch]] holds the rows that are being read. After a spill: one
 * row or one batch, and two buffers of 8 KiB; until the next row is read, also the page that holds the current one.
 *
 * @param results
 *   evaluates the results; null if there are none
 * @param resultTypes
 *   the types of the results
 * @param whenUsedUp
 *   called, perhaps more than once, when there are no more rows and the last row is no longer needed
 * @param whenLeft
 *   called when the row or batch that was current at a spill is no longer needed
 */
final private[execution] class SortedRows(
    private[this] var stored: StoredRows,
    private[this] var results: SortedResults,
    resultTypes: Seq[DataType],
    whenUsedUp: () => Unit,
    whenLeft: () => Unit,
    resources: TaskResources
) extends AbstractIterator[InternalRow] {
  private[this] var owner = Thread.currentThread()
  private[this] val types = stored.fields.types ++ resultTypes
  private[this] val row = new UnsafeRow(types.size)
  private[this] var end = stored.order.length
  private[this] var stretch: RowStretch = _
  private[this] var next = 0
  private[this] var prepared = 0 // rows from `next` to before this place are ready
  private[this] var inHand: StoredBatch = _
  private[this] var file: RowFile = _
  private[this] var onDisk = 0L
  private[this] var spilledAt = 0

  override def hasNext: Boolean = next < end || {
    whenUsedUp()
    false
  }

  override def next(): InternalRow = {
    owner = Thread.currentThread()
    if (file == null) {
      if (next == prepared)
        try prepare(next)
        catch { case failed: RowFailed => throw failed.error }
      stretch.pointTo(row, next)
    } else {
      if (next == spilledAt) whenLeft()
      file.read(row)
    }
    next += 1
    row
  }

  /** The last row that was read. Its values may still be in use, as Spark's generated code keeps texts in variables. */
  def current: UnsafeRow = row

  private def prepare(from: Int): Unit = {
    if (stretch == null)
      stretch =
        if (results == null && stored.fields.areWhole) new LoggedStretch(stored.places())
        else new RowAssembler(stored, results, resultTypes)
    prepared = from // no rows are ready if the next line fails
    prepared = stretch.prepare(from, end)
  }

  /**
   * The rows from place `from` to before `until` as batches. A batch is valid until the next batch is requested. No row may have
   * been read before.
   */
  def batches(from: Long, until: Long): Iterator[ColumnarBatch] = {
    end = math.min(until, end.toLong).toInt
    next = math.min(from, end.toLong).toInt
    prepared = next
    new Batches
  }

  final private class Batches extends AbstractIterator[ColumnarBatch] {
    private[this] var fromFile: RowBatches = _

    override def hasNext: Boolean = SortedRows.this.hasNext

    override def next(): ColumnarBatch =
      if (file == null) takeBatch()
      else {
        if (fromFile == null) fromFile = new RowBatches(SortedRows.this, types)
        fromFile.next()
      }
  }

  private def takeBatch(): ColumnarBatch = {
    owner = Thread.currentThread()
    if (inHand == null) inHand = new StoredBatch(stored, results, resultTypes)
    next =
      try inHand.take(next, end)
      catch { case failed: RowFailed => throw failed.error }
    prepared = next
    inHand.rows
  }

  /**
   * Whether rows can be spilled. Only the reading thread may spill, because no row is being read while this thread acquires
   * memory.
   */
  def canSpill: Boolean = file == null && next < end && (Thread.currentThread() eq owner)

  def spilledBytes: Long = onDisk

  /**
   * Moves the rows that have not been read to a file. Afterwards, nothing but [[current]] points into the sorter's memory. If
   * writing fails, the file is deleted and the rows stay in memory.
   *
   * @return
   *   the file's size in bytes; none if a row cannot be evaluated, in which case the reader of the row gets the error
   */
  def spill(): Option[Long] = {
    val written = new RowFile
    try {
      // A new stretch, because the current row is in the buffer of the old one.
      stretch = null
      prepared = next
      write(written)
      if (inHand != null) inHand.detach()
      file = written
      spilledAt = next
      stored = null
      results = null
      stretch = null
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
    prepared = next
  }

  private def write(to: RowFile): Unit = {
    val following = new UnsafeRow(types.size)
    var i = next
    while (i < end) {
      if (i == prepared) {
        resources.stopIfCancelled()
        prepare(i)
      }
      stretch.pointTo(following, i)
      to.write(following)
      i += 1
    }
    onDisk = to.startReading()
  }

  def close(): Unit = {
    next = end
    if (file != null) file.close()
  }
}

/**
 * Sorted rows.
 *
 * @param withResults
 *   the rows with their results; none if `rows` have none
 */
final private[execution] case class SortResult(rows: Iterator[InternalRow], withResults: Option[SortedRows]) {

  /** Whether the rows have their results. */
  def finished: Boolean = withResults.isDefined

  /** The rows from place `from` to before `until` as batches. A batch is valid until the next batch is requested. */
  def batches(types: Seq[DataType], from: Long = 0L, until: Long = Long.MaxValue): Iterator[ColumnarBatch] =
    withResults.fold[Iterator[ColumnarBatch]](new RowBatches(new RowsBetween(rows, from, until), types))(
      _.batches(from, until)
    )
}
