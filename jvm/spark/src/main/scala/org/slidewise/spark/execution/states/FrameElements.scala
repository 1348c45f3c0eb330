package org.slidewise.spark.execution.states

import org.apache.spark.sql.catalyst.expressions.Attribute

import org.slidewise.spark.execution.rows.RowsByPosition

/**
 * The elements that frames consist of: rows of a table, or partial aggregates.
 *
 * @param attributes
 *   the attributes of an element
 * @param newReader
 *   creates a reader of the elements
 */
final private[execution] class FrameElements(
    val attributes: Seq[Attribute],
    val newReader: () => RowsByPosition,
    val kind: ElementKind = ElementKind.InputRows
)

/** The kind of elements that frames consist of. */
sealed private[execution] trait ElementKind

private[execution] object ElementKind {

  /** Rows that the functions read their inputs from. */
  case object InputRows extends ElementKind

  /**
   * Rows with the aggregation buffers of the functions, as partial aggregation leaves them.
   *
   * @param firstBuffers
   *   for each function, the field of a row at which its buffers begin
   */
  final case class PartialAggregates(firstBuffers: Seq[Int]) extends ElementKind
}
