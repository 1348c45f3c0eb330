package org.slidewise.spark.execution.sorting

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.{SortPrefixUtils, UnsafeExternalRowSorter}
import org.apache.spark.unsafe.Platform
import org.apache.spark.util.collection.unsafe.sort.RecordComparator

import org.slidewise.spark.execution.rows.RowLog
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.plan.WindowKeys

/**
 * Sorts rows that do not fit in memory with Spark's external sorter. Ties keep the order of insertion.
 *
 * Spark's sorter keeps that order within a spill, but not between spills. Each record therefore ends with a sequence number of 8
 * bytes, which breaks ties. Reading a row copies nothing.
 *
 * One order column that fits 64 bits is sorted by radix, as in Spark. Spark's radix sort displaces another row for each null, and
 * so does not keep the order of ties. Rows with a null, which all tie, are therefore kept in a log.
 *
 * @param order
 *   not empty
 * @param radix
 *   whether to sort by radix where possible, which takes twice the memory for pointers
 */
final private[execution] class ExternalSort(
    input: Seq[Attribute],
    order: Seq[SortOrder],
    resources: TaskResources,
    radix: Boolean = true
) {
  import ExternalSort._

  private[this] val first = BindReferences.bindReference(order.head, input)
  private[this] val prefix = SortPrefix(first)

  /** Whether Spark's sorter sorts by radix in memory, without comparing rows. */
  val sortsByRadix: Boolean = radix && order.size == 1 && WindowKeys.fitsInLong(order.head)

  private[this] val nulls =
    if (sortsByRadix && first.child.nullable) Some(RowLog.of(input, resources)) else None

  private[this] val prefixOf = UnsafeProjection.create(Seq(prefix))
  private[this] val inserted = new UnsafeExternalRowSorter.PrefixComputer.Prefix

  private[this] val sorter = UnsafeExternalRowSorter.createWithRecordComparator(
    DataTypeUtils.fromAttributes(input),
    () =>
      if (sortsByRadix) new ArrivalOrder(None, input.size)
      else new ArrivalOrder(Some(RowOrdering.create(order, input)), input.size),
    SortPrefixUtils.getPrefixComparator(first),
    new UnsafeExternalRowSorter.PrefixComputer {
      override def computePrefix(row: InternalRow): UnsafeExternalRowSorter.PrefixComputer.Prefix = inserted
    },
    resources.memory.pageSizeBytes,
    sortsByRadix
  )

  private[this] var buffer = new Array[Byte](1024)
  private[this] val numbered = new UnsafeRow(input.size)
  private[this] var count = 0L

  def insert(row: UnsafeRow): Unit = {
    if (count % CheckEvery == 0) resources.stopIfCancelled()
    val value = prefixOf(row)
    inserted.isNull = value.isNullAt(0)
    if (inserted.isNull && nulls.isDefined) nulls.foreach(_.append(row))
    else {
      inserted.value = if (inserted.isNull) prefix.nullValue else value.getLong(0)
      sorter.insertRow(withNumber(row))
    }
    count += 1
  }

  private def withNumber(row: UnsafeRow): UnsafeRow = {
    val size = row.getSizeInBytes
    val needed = Math.addExact(size, NumberBytes)
    if (needed > buffer.length)
      buffer = new Array[Byte](math.max(needed, math.min(2L * buffer.length, MostBytes).toInt))
    Platform.copyMemory(
      row.getBaseObject,
      row.getBaseOffset,
      buffer,
      Platform.BYTE_ARRAY_OFFSET.toLong,
      size.toLong
    )
    Platform.putLong(buffer, Platform.BYTE_ARRAY_OFFSET.toLong + size, count)
    numbered.pointTo(buffer, Platform.BYTE_ARRAY_OFFSET.toLong, needed)
    numbered
  }

  /** The rows in order. The iterator reuses the row object. */
  def sort(): Iterator[UnsafeRow] = nulls match {
    case None                                          => sorted()
    case Some(log) if first.nullOrdering == NullsFirst => read(log) ++ sorted()
    case Some(log)                                     => sorted() ++ read(log)
  }

  private def sorted(): Iterator[UnsafeRow] = {
    val result = new UnsafeRow(input.size)
    sorter.sort().map { row =>
      val record = row.asInstanceOf[UnsafeRow]
      result.pointTo(record.getBaseObject, record.getBaseOffset, record.getSizeInBytes - NumberBytes)
      result
    }
  }

  private def read(log: RowLog): Iterator[UnsafeRow] = new AbstractIterator[UnsafeRow] {
    private[this] val reader = log.reader()
    private[this] var position = 0L

    override def hasNext: Boolean = position < log.end

    override def next(): UnsafeRow = {
      if (position % CheckEvery == 0) log.release(position)
      val row = reader(position)
      position += 1
      row
    }
  }

  def peakMemory: Long = sorter.getPeakMemoryUsage + nulls.map(_.peakMemory).sum

  /** Bytes written to files, except for those of Spark's sorter, which reports its spills to the task. */
  def spilledBytes: Long = nulls.map(_.spilledBytes).sum

  def close(): Unit = {
    sorter.cleanupResources()
    nulls.foreach(_.close())
    buffer = null
  }
}

private object ExternalSort {
  private val CheckEvery = 4096L
  private val NumberBytes = 8
  private val MostBytes = Int.MaxValue - 16L

  /** Compares records by their rows, if there is an order, and then by their sequence numbers. */
  final private class ArrivalOrder(order: Option[BaseOrdering], fields: Int) extends RecordComparator {
    private[this] val ordering = order.orNull
    private[this] val left, right = new UnsafeRow(fields)

    override def compare(
        leftBase: AnyRef,
        leftOffset: Long,
        leftBytes: Int,
        rightBase: AnyRef,
        rightOffset: Long,
        rightBytes: Int
    ): Int = {
      val byRows =
        if (ordering == null) 0
        else {
          left.pointTo(leftBase, leftOffset, leftBytes - NumberBytes)
          right.pointTo(rightBase, rightOffset, rightBytes - NumberBytes)
          ordering.compare(left, right)
        }
      if (byRows != 0) byRows
      else
        java.lang.Long.compare(
          Platform.getLong(leftBase, leftOffset + leftBytes - NumberBytes),
          Platform.getLong(rightBase, rightOffset + rightBytes - NumberBytes)
        )
    }
  }
}
