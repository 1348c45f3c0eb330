package org.slidewise.spark.execution.sorting

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.execution.{SortPrefixUtils, UnsafeExternalRowSorter}
import org.apache.spark.sql.types.LongType

import org.slidewise.spark.execution.task.TaskResources

/**
 * Spark's external sorter, for rows that do not fit in memory. Rows that tie come in the order in which they were inserted.
 *
 * Spark's sorter keeps that order within a spill, but not between spills. Each row therefore carries a sequence number, which
 * is the last sort column: 8 bytes a row, and a copy of each row that comes out.
 *
 * @param order
 *   not empty
 */
final private[execution] class ExternalSort(
    input: Seq[Attribute],
    order: Seq[SortOrder],
    resources: TaskResources
) {
  private[this] val sequence = AttributeReference("sequence", LongType, nullable = false)()
  private[this] val numbered = input :+ sequence
  private[this] val first = BindReferences.bindReference(order.head, numbered)
  private[this] val prefix = SortPrefix(first)

  private[this] val prefixes = new UnsafeExternalRowSorter.PrefixComputer {
    private[this] val projection = UnsafeProjection.create(Seq(prefix))
    private[this] val result = new UnsafeExternalRowSorter.PrefixComputer.Prefix

    override def computePrefix(row: InternalRow): UnsafeExternalRowSorter.PrefixComputer.Prefix = {
      val value = projection(row)
      result.isNull = value.isNullAt(0)
      result.value = if (result.isNull) prefix.nullValue else value.getLong(0)
      result
    }
  }

  private[this] val sorter = UnsafeExternalRowSorter.create(
    DataTypeUtils.fromAttributes(numbered),
    RowOrdering.create(order :+ SortOrder(sequence, Ascending), numbered),
    SortPrefixUtils.getPrefixComparator(first),
    prefixes,
    resources.memory.pageSizeBytes,
    false
  )

  private[this] val joiner = GenerateUnsafeRowJoiner.create(
    DataTypeUtils.fromAttributes(input),
    DataTypeUtils.fromAttributes(Seq(sequence))
  )
  private[this] val number = UnsafeRow.createFromByteArray(16, 1)
  private[this] var count = 0L

  def insert(row: UnsafeRow): Unit = {
    if (count % ExternalSort.CheckEvery == 0) resources.stopIfCancelled()
    number.setLong(0, count)
    sorter.insertRow(joiner.join(row, number))
    count += 1
  }

  /** The rows in order; the same object each time. */
  def sort(): Iterator[UnsafeRow] = {
    val unnumbered = UnsafeProjection.create(input.map(_.asInstanceOf[Expression]), numbered)
    sorter.sort().map(unnumbered(_))
  }

  def peakMemory: Long = sorter.getPeakMemoryUsage
  def close(): Unit = sorter.cleanupResources()
}

private object ExternalSort {
  private val CheckEvery = 4096L
}
