package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

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

  /** The summary that [[RowSummary.toBytes]] made bytes of. */
  def summaryFrom(bytes: Array[Byte]): RowSummary
}

object SummarizesLastRows {

  /** What is inserted for a row, a field for each function, which counts nothing where its filter is not true. */
  def inserted(
      functions: Seq[(Option[Expression], SummarizesLastRows)],
      input: Seq[Attribute]
  ): Projection = {
    val values = functions.map { case (filter, function) =>
      val value = function.inserted
      filter.fold(value)(If(_, value, Literal.create(null, value.dataType)))
    }
    MutableProjection.create(values, input).target(new SpecificInternalRow(values.map(_.dataType)))
  }
}

/** The last W rows, in few bits. */
trait RowSummary {

  /** Inserts the value in `row` at `ordinal`, or that there is none. */
  def insert(row: InternalRow, ordinal: Int): Unit

  def estimate: Double

  /** The bits of state. */
  def bits: Long

  /** The state, and what is needed to read it. */
  def toBytes: Array[Byte]
}
