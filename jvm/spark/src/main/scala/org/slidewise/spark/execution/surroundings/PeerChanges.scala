package org.slidewise.spark.execution.surroundings

import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder, UnsafeRow}

import org.slidewise.spark.execution.sorting.OrderColumns

/** Tells which rows of a sequence do not tie in the order with the row before. Memory: a copy of one row's order columns. */
final private[execution] class PeerChanges(order: Seq[SortOrder], input: Seq[Attribute]) {
  private[this] val columns = new OrderColumns(order, input)
  private[this] val last = UnsafeRow.createFromByteArray(0, order.size)
  private[this] var started = false

  def isChange(row: UnsafeRow): Boolean = {
    val next = columns.of(row)
    val changes = !started || columns.compare(last, next) != 0
    if (changes) last.copyFrom(next)
    started = true
    changes
  }
}
