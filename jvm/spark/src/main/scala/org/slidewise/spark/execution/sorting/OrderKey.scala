package org.slidewise.spark.execution.sorting

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BindReferences,
  Descending,
  NullsFirst,
  SortOrder,
  SortPrefix
}
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.SortPrefixUtils
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/** One order column as 64 bits that compare, as unsigned, like its values; nulls apart. */
final private[execution] class OrderKey(order: SortOrder, input: Seq[Attribute]) {
  private[this] val bound = BindReferences.bindReference(order, input)
  private[this] val prefix = UnsafeProjection.create(Seq(SortPrefix(bound)))

  private[this] val signed = SortPrefixUtils.getPrefixComparator(bound) match {
    case radix: PrefixComparators.RadixSortSupport => radix.sortSigned
    case other => throw new IllegalStateException(s"$other of $order cannot be sorted by its bits")
  }

  // Flips the sign for signed keys, all bits for a descending order.
  private[this] val flip =
    (if (signed) Long.MinValue else 0L) ^ (if (order.direction == Descending) -1L else 0L)

  private[this] var isNull = false

  val nullsFirst: Boolean = order.nullOrdering == NullsFirst

  /** The key of `row`; zero for a null, see [[wasNull]]. */
  def of(row: UnsafeRow): Long = {
    val result = prefix(row)
    isNull = result.isNullAt(0)
    if (isNull) 0L else result.getLong(0) ^ flip
  }

  /** Whether the last row's value was null. */
  def wasNull: Boolean = isNull
}

private[spark] object OrderKey {

  /** Whether 64 bits tell all values of the order column apart. */
  def fits(order: SortOrder): Boolean = SortPrefixUtils.canSortFullyWithPrefix(order)
}
