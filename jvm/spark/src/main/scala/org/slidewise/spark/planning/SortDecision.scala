package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils

import org.slidewise.spark.execution.sorting.OrderKey

/** Whether Slidewise can sort a window's rows itself. */
object SortDecision {

  /**
   * One order column whose values 64 bits tell apart, and partition keys that are equal only if their bytes are.
   *
   * Without partition keys, Spark sorts by radix too, and leaves ties around nulls in an order of its own, which users
   * would miss.
   */
  def canSort(partitionSpec: Seq[Expression], orderSpec: Seq[SortOrder]): Boolean =
    partitionSpec.nonEmpty && orderSpec.size == 1 && OrderKey.fits(orderSpec.head) &&
      partitionSpec.forall(key => UnsafeRowUtils.isBinaryStable(key.dataType))
}
