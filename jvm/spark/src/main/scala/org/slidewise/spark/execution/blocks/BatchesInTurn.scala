package org.slidewise.spark.execution.blocks

import org.apache.spark.sql.vectorized.ColumnarBatch

import org.slidewise.spark.shims.SparkBatches

/**
 * Batches one after the other. Frees a batch before it asks for the next one: a reader may load the next batch into the same
 * vectors as soon as it is asked whether there is one.
 */
final private[execution] class BatchesInTurn(batches: Iterator[ColumnarBatch]) {
  private[this] var current: ColumnarBatch = _

  /** The batch of the last call of [[advance]] that returned true, valid until the next call. */
  def batch: ColumnarBatch = current

  /** Moves to the next batch. Returns whether there is one. */
  def advance(): Boolean = {
    if (current != null) SparkBatches.free(current)
    current = null
    batches.hasNext && {
      current = batches.next()
      true
    }
  }
}
