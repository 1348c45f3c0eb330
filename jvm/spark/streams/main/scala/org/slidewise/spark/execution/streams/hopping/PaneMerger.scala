package org.slidewise.spark.execution.streams.hopping

import org.apache.spark.sql.catalyst.expressions.{SpecificInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate

import org.slidewise.spark.execution.states.{ElementKind, FrameFunctions}
import org.slidewise.spark.plan.{AggregateCall, FunctionDescription}

/**
 * Merges the aggregation buffers of a stored pane with the buffers of a newer partial aggregate of the same pane.
 *
 * Not safe for concurrent use.
 *
 * @param functions
 *   the aggregate functions, in the order of their buffers
 */
final private[hopping] class PaneMerger(functions: Seq[FunctionDescription]) {
  private[this] val firsts = functions.scanLeft(0)(_ + _.aggregate.aggBufferAttributes.size)

  private[this] val merging = new FrameFunctions(
    functions.map(AggregateCall(_, None)),
    functions.indices,
    functions.flatMap(_.aggregate.inputAggBufferAttributes),
    keepsStates = false,
    kind = ElementKind.PartialAggregates(firsts.init)
  )

  private[this] val typed = functions
    .map(_.aggregate)
    .zip(firsts)
    .collect { case (function: TypedImperativeAggregate[_], first) =>
      function.withNewMutableAggBufferOffset(first).asInstanceOf[TypedImperativeAggregate[_]]
    }
    .toArray

  private[this] val buffer = new SpecificInternalRow(merging.stateTypes)
  private[this] val result = UnsafeProjection.create(merging.stateTypes.toArray)

  /**
   * Merges two rows of aggregation buffers.
   *
   * @param older
   *   the buffers of the stored pane
   * @param newer
   *   the buffers of the partial aggregate
   * @return
   *   the merged buffers, in a reused object
   */
  def merge(older: UnsafeRow, newer: UnsafeRow): UnsafeRow = {
    merging.clear(buffer)
    merging.update(buffer, older)
    merging.update(buffer, newer)
    var i = 0
    while (i < typed.length) {
      typed(i).serializeAggregateBufferInPlace(buffer)
      i += 1
    }
    result(buffer)
  }
}
