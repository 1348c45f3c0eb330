package org.slidewise.spark.execution.toprows

import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.core.selection.{FirstRows, TieOrder}
import org.slidewise.spark.execution.sorting.{OrderColumns, SortKey}
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

  /** Whether [[OrderValues]] determine the order. */
  def isExact: Boolean = order.size == 1 && WindowKeys.fitsInLong(order.head)
}

/**
 * The first order column of a row as 64 bits, compared as signed: first rows are smaller. A null has a value of its own, before
 * or after all other values. The two values next to it share one.
 */
final private[toprows] class OrderValues(order: SortOrder, input: Seq[Attribute]) {
  private[this] val key = new SortKey(order)
  private[this] val read = UnsafeProjection.create(Seq(key.prefix), input)
  private[this] val flip = key.flip ^ Long.MinValue
  private[this] val forNull = if (key.nullsFirst) Long.MinValue else Long.MaxValue

  /** The value that stands for two. */
  val shared: Long = if (key.nullsFirst) Long.MinValue + 1 else Long.MaxValue - 1

  def of(row: UnsafeRow): Long = {
    val prefix = read(row)
    if (prefix.isNullAt(0)) forNull
    else {
      val value = prefix.getLong(0) ^ flip
      if (value == forNull) shared else value
    }
  }
}

/** Orders rows whose first order columns tie in 64 bits. */
final private[toprows] class OrderTies(order: Seq[SortOrder], input: Seq[Attribute])
    extends OrderColumns(order, input)
    with TieOrder[UnsafeRow] {
  override def copy(key: UnsafeRow): UnsafeRow = key.copy()
  override def bytes(key: UnsafeRow): Long = OrderTies.Overhead + key.getSizeInBytes
}

private object OrderTies {
  // The objects of a row and of its array.
  private val Overhead = 56L
}
