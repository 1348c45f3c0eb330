package org.slidewise.spark.execution.sorting

import org.apache.spark.sql.catalyst.expressions.{Descending, Expression, NullsFirst, SortOrder, SortPrefix}
import org.apache.spark.sql.execution.SortPrefixUtils
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/**
 * One sort column as 64 bits that compare, as unsigned, like its values; nulls apart. If the values do not fit, what
 * compares less is less, and equal bits say nothing.
 */
final private[execution] class SortKey(order: SortOrder) {

  /** The bits before [[flip]]; null for a null. */
  val prefix: Expression = SortPrefix(order)

  /** Whether equal bits mean equal values. */
  val fits: Boolean = SortKey.fits(order)

  val nullsFirst: Boolean = order.nullOrdering == NullsFirst

  /** The bits of [[prefix]] to flip: the sign where it is signed, and all for a descending order. */
  val flip: Long = {
    val signed = SortPrefixUtils.getPrefixComparator(order) match {
      case radix: PrefixComparators.RadixSortSupport => radix.sortSigned
      case _                                         => false
    }
    (if (signed) Long.MinValue else 0L) ^ (if (order.direction == Descending) -1L else 0L)
  }
}

private[spark] object SortKey {

  /** Whether 64 bits tell all values of the column apart. */
  def fits(order: SortOrder): Boolean = SortPrefixUtils.canSortFullyWithPrefix(order)
}
