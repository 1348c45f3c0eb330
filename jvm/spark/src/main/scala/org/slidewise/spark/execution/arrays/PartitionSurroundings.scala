package org.slidewise.spark.execution.arrays

import org.slidewise.spark.execution.surroundings.{OutsideSides, OutsideValue}

/** The rows of one partition after the other that lie outside of those that the task evaluates. */
final private[arrays] class PartitionSurroundings(sides: OutsideSides) {
  private[this] var first, last = false

  /**
   * Turns to a partition.
   *
   * @param isFirst
   *   whether it is the task's first
   * @param isLast
   *   whether it is the task's last, and its last row has come
   */
  def begin(isFirst: Boolean, isLast: Boolean): Unit = {
    first = isFirst
    last = isLast
  }

  def rowsBefore: Long = if (first) sides.before.rows else 0L
  def peerGroupsBefore: Long = if (first) sides.before.peerGroups else 0L
  private def rowsAfter: Long = if (last) sides.after.rows else 0L

  /** The number of rows of the whole partition, of which the task evaluates `size`. */
  def totalRows(size: Int): Long = rowsBefore + size + rowsAfter

  /** What the function number `function` has outside. */
  def of(function: Int): FunctionSurroundings = new FunctionSurroundings {
    override def before: OutsideValue = if (first) sides.before.values(function) else null
    override def after: OutsideValue = if (last) sides.after.values(function) else null
  }
}

/** The values of a function over rows outside that its frames hold; null if there are none. */
private[arrays] trait FunctionSurroundings {
  def before: OutsideValue
  def after: OutsideValue

  /** The number of values outside, for means. */
  final def count: Long =
    (if (before == null) 0L else before.count) + (if (after == null) 0L else after.count)
}

private[arrays] object FunctionSurroundings {

  /** Of a function whose frames hold no rows outside. */
  object None extends FunctionSurroundings {
    override def before: OutsideValue = null
    override def after: OutsideValue = null
  }
}
