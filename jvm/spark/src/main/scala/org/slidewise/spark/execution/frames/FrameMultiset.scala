package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}

import org.slidewise.spark.execution.task.HeapMemory
import org.slidewise.spark.plan.{PlannedAggregate, RowMultiset}

/** Thrown if the elements of a frame do not determine a multiset of values. */
private[frames] object NoMultiset extends RuntimeException(null, null, false, false)

/**
 * A function of the multiset of a frame's values. Rows are added when they enter the frame and removed when they leave it.
 *
 * Implementations charge their memory with [[HeapMemory.chargeIfPossible]]: Spark's aggregate functions hold as many values and
 * charge nothing.
 */
private[execution] trait FrameMultiset {

  /** Throws [[NoMultiset]] if the frame must be recalculated. */
  def add(row: InternalRow): Unit

  /** Removes a row that has been added. */
  def remove(row: InternalRow): Unit

  /** The result for the current frame; null if there is no result. */
  def result: Any

  /** Removes all rows, but keeps the memory. */
  def clear(): Unit

  /** Removes all rows, after the memory of all multisets has been released. */
  def clearAfterRelease(): Unit
}

/**
 * A function of the distinct tuples of a frame. The rows with the last occurrence of each tuple determine the result. Rows are
 * added in the order of their positions.
 */
private[execution] trait LastOccurrences extends FrameMultiset {

  /**
   * Adds the row at `position`, which is greater than the positions of the rows before.
   *
   * @return
   *   false if the function ignores the row, which then need not be kept
   */
  def add(row: InternalRow, position: Long): Boolean

  /** Whether the row at `position`, which has been added, is the last row with its tuple. */
  def isLast(row: InternalRow, position: Long): Boolean

  /** The number of distinct tuples of the rows. */
  def size: Int
}

private[execution] object FrameMultiset {
  def of(planned: PlannedAggregate, input: Seq[Attribute], memory: HeapMemory): FrameMultiset =
    planned.description.multiset match {
      case Some(mode: RowMultiset.Mode)           => new FrameMode(mode, planned.filter, input, memory)
      case Some(quantiles: RowMultiset.Quantiles) =>
        new FrameQuantiles(quantiles, planned.filter, input, memory)
      case Some(distinct: RowMultiset.Distinct) => ofDistinct(distinct, planned.filter, input, memory)
      case None                                 =>
        throw new IllegalArgumentException(s"${planned.description.name} is no function of a multiset")
    }

  def ofDistinct(
      function: RowMultiset.Distinct,
      filter: Option[Expression],
      input: Seq[Attribute],
      memory: HeapMemory
  ): LastOccurrences = {
    val tuples = RowTuple.of(function, filter, input)
    if (function.counted.isDefined) new FrameDistinctCount(tuples, memory)
    else new FrameDistinct(function.aggregate, tuples, memory)
  }
}
