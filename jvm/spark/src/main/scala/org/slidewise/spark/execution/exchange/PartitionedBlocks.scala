package org.slidewise.spark.execution.exchange

import java.util.function.ToIntFunction

import scala.collection.AbstractIterator

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.vectorized.ColumnarBatch

import org.slidewise.spark.execution.blocks.RowsInBlocks
import org.slidewise.spark.execution.task.TaskResources

/**
 * Collects rows by partition, and returns them as blocks: the rows of a partition when it is full, and all remaining rows at the
 * end. A row without memory becomes a block of its own. Memory: see [[BlockStages]].
 */
final private[execution] class PartitionedBlocks private (
    source: BlockSource,
    stages: BlockStages,
    resources: TaskResources
) extends AbstractIterator[Product2[Int, InternalRow]] {

  override def hasNext: Boolean = !stages.isEmpty || source.hasNext || {
    close()
    false
  }

  override def next(): Product2[Int, InternalRow] = {
    resources.stopIfCancelled()
    val block = source.stage()
    if (block != null) block else stages.drain()
  }

  /** The memory of the blocks, in bytes. */
  def heldBytes: Long = stages.heldBytes

  /** Gives all memory back. */
  def close(): Unit = stages.close()
}

private[execution] object PartitionedBlocks {

  /**
   * The blocks of a task's rows. Their memory is released when the task ends, also after an error or a cancellation.
   *
   * @param partitionOf
   *   the number of a row's partition; called once for each row, in order
   */
  def ofRows(
      rows: Iterator[InternalRow],
      partitionOf: ToIntFunction[InternalRow],
      write: BlockWrite,
      context: TaskContext
  ): PartitionedBlocks = of(write, context, new RowSource(rows, partitionOf, _, write))

  /** The blocks of a task's batches of rows. See [[ofRows]]. */
  def ofBatches(
      batches: Iterator[ColumnarBatch],
      ids: PartitionIds,
      write: BlockWrite,
      context: TaskContext
  ): PartitionedBlocks =
    of(write, context, new ColumnSource(new BatchColumns(batches, ids, write.layout), _, write))

  /** The blocks of a task's rows that are read from blocks of the same layout. See [[ofRows]]. */
  def ofBlocks(
      blocks: RowsInBlocks,
      ids: BlockPartitions,
      write: BlockWrite,
      context: TaskContext
  ): PartitionedBlocks =
    of(write, context, new ColumnSource(new BlockColumns(blocks, ids, write.layout), _, write))

  private def of(
      write: BlockWrite,
      context: TaskContext,
      source: BlockStages => BlockSource
  ): PartitionedBlocks = {
    val resources = new TaskResources(context)
    val stages = new BlockStages(write, resources)
    context.addTaskCompletionListener[Unit](_ => stages.close())
    new PartitionedBlocks(source(stages), stages, resources)
  }
}
