package org.slidewise.spark.execution.sorting

import org.slidewise.spark.execution.columns.FieldVector

/** Evaluates the results of sorted rows. */
private[execution] trait SortedResults {

  /**
   * Evaluates the results of the rows from the place `from` on, at most up to `until`, and writes them from row 0 on. Rows are
   * asked for in order, but for rows that were asked for and could not be handed out. Must not acquire memory: the memory manager
   * could then ask these rows to spill.
   *
   * @return
   *   one past the last row that has results; at least `from + 1`
   * @throws RowFailed
   *   if the first row cannot be evaluated
   */
  def evaluate(from: Int, until: Int, into: Array[FieldVector]): Int
}

/** A row cannot be evaluated; `error` is for whoever reads the row. */
final private[execution] class RowFailed(val error: RuntimeException)
    extends RuntimeException(null, error, true, false)
