package org.slidewise.spark.execution.sorting

import org.slidewise.spark.execution.columns.FieldVector

/** Evaluates the results of sorted rows. */
private[execution] trait SortedResults {

  /**
   * Evaluates the results of rows from place `from` to at most before `until`, and writes them into `into` from row 0 on. Callers
   * request rows in order, but may request rows again that they could not return. Must not acquire memory, because the memory
   * manager could then make these rows spill.
   *
   * @return
   *   one past the last row that has results; at least `from + 1`
   * @throws RowFailed
   *   if the first row cannot be evaluated
   */
  def evaluate(from: Int, until: Int, into: Array[FieldVector]): Int
}

/** Thrown if a row cannot be evaluated. The reader of the row gets `error`. */
final private[execution] class RowFailed(val error: RuntimeException)
    extends RuntimeException(null, error, true, false)
