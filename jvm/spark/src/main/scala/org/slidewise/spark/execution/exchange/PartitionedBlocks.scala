package org.slidewise.spark.execution.exchange

import java.util.Arrays
import java.util.function.ToIntFunction

import scala.collection.AbstractIterator

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric

import org.slidewise.spark.execution.task.{HeapMemory, TaskResources}

/**
 * Collects rows by partition, and hands them out as blocks: a partition's when it is full, and all that is left at the end.
 *
 * Memory: for each partition a block of at most 64 KiB, all of them 16 MiB. Blocks begin small and grow; without memory they stay
 * as small as they are, and a row without a place is a block of its own. Leaves memory for a first page of Spark's writer, which
 * asks for it when the first block comes.
 *
 * @param partitionOf
 *   the number of a row's partition; asked for once, in the order in which rows come
 * @param written
 *   counts the rows
 */
final private[execution] class PartitionedBlocks private[exchange] (
    rows: Iterator[InternalRow],
    partitionOf: ToIntFunction[InternalRow],
    partitions: Int,
    resources: TaskResources,
    written: SQLMetric
) extends AbstractIterator[Product2[Int, InternalRow]] {
  import PartitionedBlocks._

  private[this] val memory = new HeapMemory(resources)
  private[this] var reserved = if (memory.acquire(ReservedBytes)) ReservedBytes else 0L
  private[this] val largest = math.max(LeastBytes, math.min(MostBytes, AllBytes / partitions))
  private[this] val blocks = Array.fill(partitions)(Array.emptyByteArray)
  private[this] val used = new Array[Int](partitions)
  private[this] val record = new BlockRecord(partitions)
  private[this] var handedOut = -1 // the partition whose block was handed out last
  private[this] var open = 0 // how many partitions have rows
  private[this] var drained = 0 // at the end, the partitions before it have no rows
  private[this] var waiting: UnsafeRow = _ // has come, and found no place in the block handed out
  private[this] var partition = 0 // that of the row that came last

  override def hasNext: Boolean =
    waiting != null || open > (if (handedOut >= 0) 1 else 0) || rows.hasNext || {
      close()
      false
    }

  override def next(): Product2[Int, InternalRow] = {
    resources.stopIfCancelled()
    reuse()
    val row = collect()
    leavePage()
    row match {
      case null =>
        while (used(drained) == 0) drained += 1
        handOut(drained)
      case row =>
        if (used(partition) > 0) {
          waiting = row
          handOut(partition)
        } else {
          val block = new Array[Byte](RowBlock.bytesOf(row))
          record.of(partition, block, 0, RowBlock.put(row, block, 0))
        }
    }
  }

  private def leavePage(): Unit = if (reserved > 0) {
    memory.freeMemory(reserved)
    reserved = 0
  }

  /** Takes rows until there is no place for one, which it returns; null if all rows have come. */
  private def collect(): UnsafeRow = {
    var row = take()
    while (row != null && put(row)) row = take()
    row
  }

  private def take(): UnsafeRow =
    if (waiting != null) {
      val row = waiting
      waiting = null
      row
    } else if (rows.hasNext) {
      written += 1
      val row = rows.next().asInstanceOf[UnsafeRow]
      partition = partitionOf.applyAsInt(row)
      row
    } else null

  private def put(row: UnsafeRow): Boolean = {
    val before = used(partition)
    hasRoom(partition, before.toLong + RowBlock.bytesOf(row)) && {
      if (before == 0) open += 1
      used(partition) = RowBlock.put(row, blocks(partition), before)
      true
    }
  }

  /** Whether a partition's block has, or can get, this many bytes. */
  private def hasRoom(partition: Int, bytes: Long): Boolean = {
    val block = blocks(partition)
    bytes <= block.length || bytes <= largest && {
      val size = math.min(largest, math.max(math.max(block.length * 4, FirstBytes), bytes.toInt))
      val more = (size - block.length).toLong
      val granted = heldBytes + more <= AllBytes && memory.acquire(more)
      if (granted) blocks(partition) = Arrays.copyOf(block, size)
      granted
    }
  }

  private def handOut(partition: Int): Product2[Int, InternalRow] = {
    handedOut = partition
    record.of(partition, blocks(partition), 0, used(partition))
  }

  /** Empties the block that was handed out. */
  private def reuse(): Unit = if (handedOut >= 0) {
    used(handedOut) = 0
    open -= 1
    handedOut = -1
  }

  /** The memory of the blocks, in bytes. */
  def heldBytes: Long = memory.getUsed - reserved

  /** Gives all memory back. */
  def close(): Unit = {
    memory.releaseAll()
    reserved = 0
  }
}

private[execution] object PartitionedBlocks {
  private val FirstBytes = 1 << 10
  private val LeastBytes = 1 << 12
  private val MostBytes = 1 << 16
  private val AllBytes = 1 << 24
  private val ReservedBytes = 1L << 20

  /** The blocks of a task, which gives their memory back when it ends, however it ends. */
  def apply(
      rows: Iterator[InternalRow],
      partitionOf: ToIntFunction[InternalRow],
      partitions: Int,
      context: TaskContext,
      written: SQLMetric
  ): PartitionedBlocks = {
    val blocks = new PartitionedBlocks(rows, partitionOf, partitions, new TaskResources(context), written)
    context.addTaskCompletionListener[Unit](_ => blocks.close())
    blocks
  }
}
