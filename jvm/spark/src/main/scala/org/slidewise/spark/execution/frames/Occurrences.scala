package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.types.{BinaryType, LongType}

import org.slidewise.spark.execution.rows.{RowLog, RowsByPosition}
import org.slidewise.spark.execution.sorting.ExternalSort
import org.slidewise.spark.execution.task.TaskResources

/**
 * For each row of a partition, where the row before it and the row after it with the same key are: a frame `[lo, hi)` meets a key
 * for the first time at the row whose previous one is before `lo`, and for the last time at the row whose next one is not before
 * `hi`. The merge sort trees of Vogelsgesang et al., SIGMOD 2022, count distinct values by the previous occurrence as well, of frames
 * whose ends move freely.
 *
 * '''Cost.''' Two external sorts of n rows, by key and back by position. '''Memory.''' That of the sorts, which spill; then 24 bytes
 * a row in a log, which spills.
 *
 * @param first
 *   the position of the first row
 */
final private[frames] class Occurrences private (first: Long, log: RowLog) {
  import Occurrences._

  def peakMemory: Long = log.peakMemory
  def spilledBytes: Long = log.spilledBytes

  /** Reads positions; for rows in ascending order, each is in constant time. */
  def reader(): Reader = new Reader(first, log.reader())

  /** The rows before `position` will not be asked for again. */
  def release(position: Long): Unit = log.release(position - first)

  def close(): Unit = log.close()
}

private[frames] object Occurrences {

  /** Instead of a row that is not there, and the previous one of a row without a key: such a row is the first in no frame. */
  val Nowhere: Long = Long.MaxValue

  /** The next one of a row without a key: such a row is the last in no frame. */
  private val NeverLast = -1L

  /** The previous one of the first row with its key. */
  private val BeforeAll = -1L

  final class Reader(first: Long, rows: RowsByPosition) {

    /** The position of the row before it with the same key. */
    def previous(position: Long): Long = rows(position - first).getLong(0)

    /** The position of the row after it with the same key. */
    def next(position: Long): Long = rows(position - first).getLong(1)
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
    val log = RowLog.of(Seq(previous, next), resources)
    try {
      var end = first
      val keyed = new UnsafeRowWriter(3)
      rows { row =>
        if (row != null) byKey.insert(written(keyed, row, end))
        end += 1
      }
      link(byKey.sort().map(_.asInstanceOf[UnsafeRow]), byPosition)
      byKey.close()
      fill(log, byPosition.sort().map(_.asInstanceOf[UnsafeRow]), first, end)
      new Occurrences(first, log)
    } catch {
      case e: Throwable =>
        log.close()
        throw e
    } finally {
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

  /** From rows sorted by key and then by position, inserts each with its neighbours. */
  private def link(sorted: Iterator[UnsafeRow], linked: ExternalSort): Unit = {
    val out = new LongsRow(3)
    var bytes: Array[Byte] = null
    var at, before = BeforeAll
    def insert(after: Long): Unit = if (bytes != null) linked.insert(out(at, before, after))
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

  private def fill(log: RowLog, linked: Iterator[UnsafeRow], first: Long, end: Long): Unit = {
    val out = new LongsRow(2)
    var at = first
    def skipTo(position: Long): Unit = while (at < position) {
      log.append(out(Nowhere, NeverLast))
      at += 1
    }
    linked.foreach { row =>
      skipTo(row.getLong(0))
      log.append(out(row.getLong(1), row.getLong(2)))
      at += 1
    }
    skipTo(end)
  }

  /** A row of longs that is written again and again. */
  final private class LongsRow(fields: Int) {
    private[this] val row = UnsafeRow.createFromByteArray(8 + 8 * fields, fields)

    def apply(values: Long*): UnsafeRow = {
      var i = 0
      while (i < fields) {
        row.setLong(i, values(i))
        i += 1
      }
      row
    }
  }
}
