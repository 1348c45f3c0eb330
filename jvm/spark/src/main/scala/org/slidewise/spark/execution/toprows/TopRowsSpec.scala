package org.slidewise.spark.execution.toprows

import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.core.selection.{FirstRows, TieOrder}
import org.slidewise.spark.execution.sorting.OrderColumns
import org.slidewise.spark.plan.WindowKeys

/**
 * The rows of each partition that are selected: the first `limit` by `order`, as `first` counts them.
 *
 * @param partition
 *   the partition keys
 * @param input
 *   the attributes of the input rows
 */
final private[execution] class TopRowsSpec(
    val partition: Seq[Expression],
    val order: Seq[SortOrder],
    val first: FirstRows,
    val limit: Int,
    val input: Seq[Attribute]
) extends Serializable {

  /** Whether 64 bits determine the order. */
  def isExact: Boolean = order.size == 1 && WindowKeys.fitsInLong(order.head)
}

/** Orders rows whose first order columns tie in 64 bits. */
final private[toprows] class OrderTies(order: Seq[SortOrder], input: Seq[Attribute])
    extends OrderColumns(order, input)
    with TieOrder[UnsafeRow] {
  override def copy(key: UnsafeRow): UnsafeRow = key.copy()
  override def bytes(key: UnsafeRow): Long = OrderTies.Overhead + key.getSizeInBytes
}

private object OrderTies {
  // The object headers of a row and of its array.
  private val Overhead = 56L
}
