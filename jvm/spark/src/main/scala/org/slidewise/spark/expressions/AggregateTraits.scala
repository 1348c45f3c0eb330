package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

import org.slidewise.spark.shims.WithinGroupSyntax

/**
 * An aggregate that promises an error, and whose merged states may answer otherwise than a state built row by row, within that
 * error.
 */
trait ApproximateAggregate

/** An imperative aggregate whose aggregation buffer is a few fields of fixed size, like the buffer of a declarative aggregate. */
trait FixedSizeBuffer

/** A typed imperative aggregate whose `merge` does not change its second argument, so that no copy of it is needed. */
trait NonMutatingMerge

/**
 * An aggregate function whose result depends on the order of its rows. The order is that of the window, or the call's own: `WITHIN
 * GROUP (ORDER BY …)`.
 */
trait OrderDependent extends WithinGroupSyntax { self: AggregateFunction =>

  /** Whether this call must have an order. Otherwise, any order of rows without one is right. */
  def requiresOrder: Boolean = true

  /** The argument by which the rows must ascend, if there is one. */
  def ascending: Option[Expression] = None

  def prettyName: String

  /** A call that needs no order, for the error message. */
  def unorderedAlternative: Option[String] = None

  /** The number of leading arguments that vary from row to row; the others are constants. */
  def rowArguments: Int

  override def withinGroup(order: Seq[SortOrder]): AggregateFunction = WithinGroup(this, order)
}

/**
 * An aggregate with an error of at most ε times the greatest possible result of its frame. Over the last W rows a [[RowSummary]]
 * answers it; evaluated as an aggregate it is exact.
 */
trait SummarizesLastRows {

  /** The allowed error, ε. */
  def allowedError: Double

  /** The value to insert for a row; null inserts nothing. */
  def inserted: Expression

  /** Creates a summary of the last `window` rows. */
  def summaryOf(window: Long): RowSummary

  /** Restores a summary from [[RowSummary.toBytes]]. */
  def summaryFrom(bytes: Array[Byte]): RowSummary
}

object SummarizesLastRows {

  /** Computes the values to insert for a row, one for each function; null where the function's filter is not true. */
  def inserted(
      functions: Seq[(Option[Expression], SummarizesLastRows)],
      input: Seq[Attribute]
  ): Projection = {
    val values = functions.map { case (filter, function) =>
      val value = function.inserted
      filter.fold(value)(GuardedCondition.valueIf(_, value))
    }
    MutableProjection.create(values, input).target(new SpecificInternalRow(values.map(_.dataType)))
  }
}

/** A summary of the last W rows in few bits. */
trait RowSummary {

  /** Inserts the value in `row` at `ordinal`, which may be null. */
  def insert(row: InternalRow, ordinal: Int): Unit

  def estimate: Double

  /** An upper bound of the heap that the summary takes, in bytes. */
  def heapBytes: Long

  /** The state and its parameters. */
  def toBytes: Array[Byte]
}
