package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}

import org.slidewise.spark.execution.sorting.SortSpec

/** Whether Slidewise can sort a window's rows itself. */
object SortDecision {

  /**
   * Any order of rows that can be parted.
   *
   * Without partition keys, or without an order, Spark sorts by one column, by radix, and leaves ties around nulls in an
   * order of its own, which users would miss.
   */
  def canSort(partitionSpec: Seq[Expression], orderSpec: Seq[SortOrder]): Boolean =
    SortSpec.canPart(partitionSpec) && orderSpec.nonEmpty
}
