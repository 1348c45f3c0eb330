package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.types.{BinaryType, LongType}

import org.slidewise.spark.execution.rows.{RowLog, RowLogReader}
import org.slidewise.spark.execution.sorting.ExternalSort
import org.slidewise.spark.execution.task.TaskResources

/**
 * The occurrences of keys in a partition: for each row, the positions of the previous and of the next row with the same key. A
 * frame `[lo, hi)` meets a key for the first time at the row whose previous row is before `lo`, and for the last time at the row
 * whose next row is not before `hi`. The merge sort trees of Vogelsgesang et al., SIGMOD 2022, also count distinct values by
 * previous occurrences, but for frames whose ends move freely.
 *
 * '''Cost.''' Two external sorts of n rows, by key and back by position. '''Memory.''' The memory of the sorts, which spill; then
 * 24 bytes a row in a log, which spills.
 *
 * @param first
 *   the position of the first row
 */
final private[frames] class Occurrences private (first: Long, log: RowLog, peakOfSorts: Long) {
  import Occurrences._

  def peakMemory: Long = math.max(peakOfSorts, log.peakMemory)
  def spilledBytes: Long = log.spilledBytes

  /** Returns a reader of positions. A read takes constant time if rows are read in ascending order. */
  def reader(): Reader = new Reader(first, log.reader())

  /** Releases the rows before `position`, which must not be read again. */
  def release(position: Long): Unit = log.release(position - first)

  def close(): Unit = log.close()
}

private[frames] object Occurrences {

  /**
   * The next position of the last row with its key. Also the previous position of a row without a key, which is the first
   * occurrence in no frame.
   */
  val Nowhere: Long = Long.MaxValue

  /** The next position of a row without a key, which is the last occurrence in no frame. */
  private val NeverLast = -1L

  /** The previous position of the first row with its key. */
  private val BeforeAll = -1L

  private val CheckEvery = 4096L

  final class Reader(first: Long, rows: RowLogReader) {

    /** The position of the previous row with the same key as the row at `position`. */
    def previous(position: Long): Long = rows(position - first).getLong(0)

    /** The position of the next row with the same key as the row at `position`. */
    def next(position: Long): Long = rows(position - first).getLong(1)

    /** Unpins the rows that were read last, so that they can be spilled. */
    def leave(): Unit = rows.leave()
  }

  private val hash = AttributeReference("hash", LongType, nullable = false)()
  private val key = AttributeReference("key", BinaryType, nullable = false)()
  private val position = AttributeReference("position", LongType, nullable = false)()
  private val previous = AttributeReference("previous", LongType, nullable = false)()
  private val next = AttributeReference("next", LongType, nullable = false)()

  /**
   * Finds the occurrences of the keys of rows.
   *
   * @param first
   *   the position of the first of the rows
   * @param rows
   *   calls a function with the key of each row, or null for a row without one, in order
   */
  def of(first: Long, rows: (UnsafeRow => Unit) => Unit, resources: TaskResources): Occurrences = {
    val byKey =
      new ExternalSort(Seq(hash, key, position), Seq(hash, key).map(SortOrder(_, Ascending)), resources)
    val byPosition =
      new ExternalSort(Seq(position, previous, next), Seq(SortOrder(position, Ascending)), resources)
    val log = RowLog.of(Seq(previous, next), resources, RowLog.SmallPage)
    var isComplete = false
    try {
      var end = first
      val keyed = new UnsafeRowWriter(3)
      rows { row =>
        if (row != null) byKey.insert(written(keyed, row, end))
        end += 1
      }
      link(byKey.sort(), byPosition)
      byKey.close()
      fill(log, byPosition.sort(), first, end, resources)
      isComplete = true
      new Occurrences(first, log, byKey.peakMemory + byPosition.peakMemory)
    } finally {
      if (!isComplete) log.close()
      byKey.close()
      byPosition.close()
    }
  }

  private def written(writer: UnsafeRowWriter, row: UnsafeRow, at: Long): UnsafeRow = {
    writer.reset()
    writer.write(
      0,
      XXH64.hashUnsafeWords(row.getBaseObject, row.getBaseOffset, row.getSizeInBytes, 42L)
    )
    writer.write(1, row.getBytes)
    writer.write(2, at)
    writer.getRow
  }

  /**
   * Inserts the position of each row with the positions of the previous and the next row with its key. The input is sorted by
   * key, then by position.
   */
  private def link(sorted: Iterator[UnsafeRow], linked: ExternalSort): Unit = {
    val out = UnsafeRow.createFromByteArray(32, 3)
    var bytes: Array[Byte] = null
    var at, before = BeforeAll
    def insert(after: Long): Unit = if (bytes != null) {
      out.setLong(0, at)
      out.setLong(1, before)
      out.setLong(2, after)
      linked.insert(out)
    }
    sorted.foreach { row =>
      val found = row.getBinary(1)
      val same = bytes != null && java.util.Arrays.equals(bytes, found)
      val here = row.getLong(2)
      insert(if (same) here else Nowhere)
      before = if (same) at else BeforeAll
      at = here
      if (!same) bytes = found
    }
    insert(Nowhere)
  }

  private def fill(
      log: RowLog,
      linked: Iterator[UnsafeRow],
      first: Long,
      end: Long,
      resources: TaskResources
  ): Unit = {
    val out = UnsafeRow.createFromByteArray(24, 2)
    var at = first
    def append(previous: Long, next: Long): Unit = {
      if (at % CheckEvery == 0) resources.stopIfCancelled()
      out.setLong(0, previous)
      out.setLong(1, next)
      log.append(out)
      at += 1
    }
    def skipTo(position: Long): Unit = while (at < position) append(Nowhere, NeverLast)
    linked.foreach { row =>
      skipTo(row.getLong(0))
      append(row.getLong(1), row.getLong(2))
    }
    skipTo(end)
  }
}
