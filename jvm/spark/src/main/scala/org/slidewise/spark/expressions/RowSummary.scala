package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * An aggregate function that promises an error of a part ε of what its frame could hold, and so can be answered for the last W
 * rows by a summary of theirs. As an aggregate it is exact, which keeps any promise.
 */
trait SummarizesLastRows {

  /** ε. */
  def allowedError: Double

  /** What is inserted for a row; nothing counts for a null. */
  def inserted: Expression

  /** A summary of the last `window` rows. */
  def summaryOf(window: Long): RowSummary
}

/** The last W rows, in few bits. */
trait RowSummary {

  /** Inserts the value in `row` at `ordinal`, or that there is none. */
  def insert(row: InternalRow, ordinal: Int): Unit

  def estimate: Double

  /** The bits of state. */
  def bits: Long
}
