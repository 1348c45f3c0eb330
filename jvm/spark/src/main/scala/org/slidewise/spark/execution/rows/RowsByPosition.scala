package org.slidewise.spark.execution.rows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Rows that can be read again. */
private[execution] trait RowsByPosition {

  /** The row at `position`, which may be the same object each time and gone with the next call. */
  def apply(position: Long): UnsafeRow
}
