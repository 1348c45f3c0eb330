package org.slidewise.spark.execution.sorting

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.{SortPrefixUtils, UnsafeExternalRowSorter}
import org.apache.spark.sql.types.{StructField, StructType}

/** Spark's own external sorter, for rows that are too many for memory. */
final private[sorting] class ExternalSort(input: Seq[Attribute], order: Seq[SortOrder], pageSize: Long) {
  private[this] val first = BindReferences.bindReference(order.head, input)
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
    StructType(input.map(a => StructField(a.name, a.dataType, a.nullable))),
    RowOrdering.create(order, input),
    SortPrefixUtils.getPrefixComparator(first),
    prefixes,
    pageSize,
    order.length == 1 && SortPrefixUtils.canSortFullyWithPrefix(first)
  )

  def insert(row: UnsafeRow): Unit = sorter.insertRow(row)
  def sort(): Iterator[InternalRow] = sorter.sort()
  def peakMemory: Long = sorter.getPeakMemoryUsage
  def close(): Unit = sorter.cleanupResources()
}
