package org.slidewise.spark.execution.sorting

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.SortPrefixUtils
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

import org.slidewise.spark.plan.{SlidingWindowPlan, WindowKeys}

/**
 * The sort order of a window's rows: by partition keys, then by `order`.
 *
 * @param partition
 *   the partition keys
 * @param radixInSpark
 *   whether Spark sorts by radix where it can (`spark.sql.sort.enableRadixSort`)
 * @param peers
 *   the number of leading columns of `order` in which peers are equal
 */
final private[execution] class SortSpec(
    val partition: Seq[Expression],
    val order: Seq[SortOrder],
    val radixInSpark: Boolean,
    val peers: Int
) {

  private val partitionKeys = partition.map(key => new SortKey(SortOrder(key, Ascending)))
  private val orderKeys = order.map(new SortKey(_))

  /** Whether partition keys are hashed, because 64 bits do not distinguish their values. */
  val hashes: Boolean = !partitionKeys.forall(_.fits)

  /** Whether rows with equal bits of the first order column need a full comparison. */
  val compares: Boolean = !orderKeys.forall(key => key.fits || key.isConstant)

  /** The columns that the sort needs, partition keys first. */
  val columns: Seq[SortKey] =
    (if (hashes) Nil else partitionKeys) ++ (if (compares) orderKeys.take(1) else orderKeys)

  /**
   * Whether ties come in the order in which Spark's radix sort leaves them. Spark then sorts by a single column. Each time that a
   * row with a null arrives, Spark moves a row without a null to the end.
   */
  val nullsMoveTies: Boolean =
    radixInSpark && columns.size == 1 && !hashes && orderKeys.forall(_.fits)

  /** The number of [[columns]] that are partition keys. */
  val partitionColumns: Int = if (hashes) 0 else partitionKeys.size

  /** The expressions to hash. */
  def hashed: Seq[Expression] = WindowKeys.asBytes(partition)
}

private[execution] object SortSpec {

  /**
   * The order in which the operator of a window sorts.
   *
   * @param keepsTies
   *   whether ties keep the order of arrival, even where Spark's sort does not keep it
   */
  def of(plan: SlidingWindowPlan, keepsTies: Boolean): SortSpec =
    new SortSpec(
      plan.partitionSpec,
      plan.sortOrder,
      plan.sort.radixInSpark && !keepsTies,
      plan.orderSpec.size
    )
}

/**
 * One sort column as 64 bits, compared as unsigned. Nulls are kept separately. A smaller key sorts first. Equal keys mean equal
 * values if [[fits]], and need a full comparison otherwise.
 */
final private[execution] class SortKey(order: SortOrder) {

  /** The bits of a row before [[flip]] is applied; null for a null. */
  val prefix: Expression = SortPrefix(order)

  /** Whether equal bits mean equal values. */
  val fits: Boolean = WindowKeys.fitsInLong(order)

  /** Whether all rows have the same value. */
  val isConstant: Boolean = order.child.deterministic && order.child.references.isEmpty

  val nullsFirst: Boolean = order.nullOrdering == NullsFirst

  /** The bits of [[prefix]] to flip: the sign bit if the prefix is signed, and all bits for a descending order. */
  val flip: Long = {
    val signed = SortPrefixUtils.getPrefixComparator(order) match {
      case radix: PrefixComparators.RadixSortSupport => radix.sortSigned
      case _                                         => false
    }
    (if (signed) Long.MinValue else 0L) ^ (if (order.direction == Descending) -1L else 0L)
  }
}
