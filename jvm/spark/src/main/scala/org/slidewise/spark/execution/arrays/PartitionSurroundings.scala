package org.slidewise.spark.execution.arrays

import org.slidewise.spark.execution.surroundings.{ArraySurroundings, ArrayValue}

/**
 * The surroundings of the task's rows in the current partition: counts of surrounding rows, and the values of functions over
 * them.
 */
final private[arrays] class PartitionSurroundings(around: ArraySurroundings) {
  private[this] var first, last = false

  /**
   * Moves to a partition.
   *
   * @param isFirst
   *   whether the partition is the task's first
   * @param isLast
   *   whether the partition is the task's last, and its last row has arrived
   */
  def begin(isFirst: Boolean, isLast: Boolean): Unit = {
    first = isFirst
    last = isLast
  }

  def rowsBefore: Long = if (first) around.rows.before.rows else 0L
  def peerGroupsBefore: Long = if (first) around.rows.before.peerGroups else 0L
  private def rowsAfter: Long = if (last) around.rows.after.rows else 0L

  /** The number of rows of the whole partition. The task evaluates `size` of them. */
  def totalRows(size: Int): Long = rowsBefore + size + rowsAfter

  /** The surroundings of the function with the number `function`. */
  def of(function: Int): FunctionSurroundings = new FunctionSurroundings {
    override def before: ArrayValue = if (first) around.before(function) else null
    override def after: ArrayValue = if (last) around.after(function) else null
  }
}

/** The values of a function over rows that its frames hold and the task does not evaluate; null if there are no such rows. */
private[arrays] trait FunctionSurroundings {
  def before: ArrayValue
  def after: ArrayValue

  /** The number of values in these rows, for means. */
  final def count: Long =
    (if (before == null) 0L else before.count) + (if (after == null) 0L else after.count)
}

private[arrays] object FunctionSurroundings {

  /** The surroundings of a function whose frames hold only rows that the task evaluates. */
  object None extends FunctionSurroundings {
    override def before: ArrayValue = null
    override def after: ArrayValue = null
  }
}
