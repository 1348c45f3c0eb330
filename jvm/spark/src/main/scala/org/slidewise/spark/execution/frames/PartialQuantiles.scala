package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow

import org.slidewise.spark.execution.task.HeapMemory
import org.slidewise.spark.plan.{PartialValues, RowMultiset}

/**
 * Quantiles of a frame of partial aggregates: the values of a buffer are added when the buffer enters the frame, and removed when
 * the buffer leaves the frame. Cost and memory for each value of a buffer: see [[Quantiles]].
 *
 * @param field
 *   the place of the buffer in an element
 */
final private[execution] class PartialQuantiles(
    function: RowMultiset.Quantiles,
    field: Int,
    memory: HeapMemory
) extends FrameMultiset {
  private[this] val quantiles = new Quantiles(function, memory)
  private[this] val entering: (Long, Long) => Unit = quantiles.add
  private[this] val leaving: (Long, Long) => Unit = quantiles.remove

  override def add(element: InternalRow): Unit = quantiles.changeUncertainty(foreach(element)(entering))
  override def remove(element: InternalRow): Unit = quantiles.changeUncertainty(-foreach(element)(leaving))

  private def foreach(element: InternalRow)(change: (Long, Long) => Unit): Long = {
    val uncertain = function.partials.foreach(element.getBinary(field))(change)
    if (uncertain == PartialValues.Unknown) throw NoMultiset
    uncertain
  }

  override def result: Any = quantiles.result
  override def clear(): Unit = quantiles.clear()
  override def clearAfterRelease(): Unit = quantiles.clearAfterRelease()
}
