package org.slidewise.spark.execution.streams.hopping

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._

import org.slidewise.spark.execution.states.MergeExpressions
import org.slidewise.spark.plan.FunctionDescription

/**
 * Merges the aggregation buffers of a stored pane with the buffers of a newer partial aggregate of the same pane.
 *
 * Not safe for concurrent use.
 *
 * @param descriptions
 *   the aggregate functions, in the order of their buffers
 */
final private[hopping] class PaneMerger(descriptions: Seq[FunctionDescription]) {
  private[this] val functions = descriptions.map(_.aggregate)
  private[this] val firsts = functions.scanLeft(0)(_ + _.aggBufferAttributes.size)
  private[this] val stored = functions.flatMap(_.inputAggBufferAttributes)
  private[this] val merged = functions.flatMap(_.aggBufferAttributes)

  private[this] val imperative = functions
    .zip(firsts)
    .collect { case (function: ImperativeAggregate, first) =>
      function.withNewMutableAggBufferOffset(first).withNewInputAggBufferOffset(first)
    }
    .toArray
  private[this] val typed = imperative.collect { case function: TypedImperativeAggregate[_] => function }

  private[this] val buffer = new SpecificInternalRow(merged.map(_.dataType))
  private[this] val joined = new JoinedRow
  private[this] val restore = projection(_.aggregate.inputAggBufferAttributes, stored).target(buffer)
  private[this] val merge = projection(MergeExpressions.of, merged ++ stored).target(buffer)
  private[this] val result = UnsafeProjection.create(merged.map(_.dataType).toArray)

  private def projection(
      expressions: FunctionDescription => Seq[Expression],
      input: Seq[Attribute]
  ): MutableProjection = MutableProjection.create(
    descriptions.flatMap { description =>
      description.aggregate match {
        case _: DeclarativeAggregate => expressions(description)
        case other                   => other.aggBufferAttributes.map(_ => NoOp)
      }
    },
    input
  )

  /**
   * Merges two rows of aggregation buffers.
   *
   * @param older
   *   the buffers of the stored pane
   * @param newer
   *   the buffers of the partial aggregate
   * @return
   *   the merged buffers; the same object each time
   */
  def merge(older: UnsafeRow, newer: UnsafeRow): UnsafeRow = {
    restore(older)
    var i = 0
    while (i < imperative.length) {
      imperative(i).initialize(buffer)
      imperative(i).merge(buffer, older)
      imperative(i).merge(buffer, newer)
      i += 1
    }
    merge(joined(buffer, newer): InternalRow)
    i = 0
    while (i < typed.length) {
      typed(i).serializeAggregateBufferInPlace(buffer)
      i += 1
    }
    result(buffer)
  }
}
