package org.slidewise.spark.execution.exchange

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import org.slidewise.spark.execution.blocks.StagedRows
import org.slidewise.spark.execution.task.{HeapMemory, TaskResources}

/**
 * Buffers the rows of each partition until they are encoded as a block.
 *
 * Memory: for each partition at most 64 KiB of words and 64 KiB of variable-length values, for all partitions 16 MiB; and the
 * last block. Stages begin small and grow; if memory is short, they stop growing. Leaves memory for the first page of Spark's
 * writer, which acquires the page when the first block arrives.
 */
final private[exchange] class BlockStages(write: BlockWrite, resources: TaskResources) {
  import BlockStages._
  import write.{layout, partitions}

  private[this] val memory = new HeapMemory(resources)
  private[this] var reserved = if (memory.acquire(ReservedBytes)) ReservedBytes else 0L

  /** The maximum number of bytes of a block's variable-length values. The maximum for its words is the same. */
  val most: Int = math.max(LeastBytes, math.min(MostBytes, AllBytes / partitions))
  private[this] val rowBytes = math.max(1, layout.fixedBytes)

  /** The maximum number of rows of a block. */
  val mostRows: Int = math.max(1, most / rowBytes)
  private[this] val stages = Array.fill(partitions)(new StagedRows(layout))
  private[this] val promised = new Array[Boolean](partitions)
  private[this] val encoder = write.newEncoder()
  private[this] val record = new BlockRecord(partitions)
  private[this] var opened = 0 // how many partitions have rows
  private[this] var drained = 0 // at the end, the partitions before it have no rows

  def apply(partition: Int): StagedRows = stages(partition)

  def isEmpty: Boolean = opened == 0

  /**
   * Whether a partition has, or can get, room for `rows` more rows with `bytes` bytes of variable-length values. The room is kept
   * until the partition is opened, or given up.
   */
  def hasRoom(partition: Int, rows: Int, bytes: Long): Boolean = {
    val stage = stages(partition)
    val (newRows, newBytes) = (stage.count + rows, stage.used + bytes)
    val has = newRows <= stage.capacity && newBytes <= stage.bytes.length ||
      newRows <= mostRows && newBytes <= most && grow(stage, newRows, newBytes.toInt)
    if (has) promised(partition) = true
    has
  }

  /** Gives up the room that a partition was to get. */
  def giveUp(partition: Int): Unit = promised(partition) = false

  private def grow(stage: StagedRows, rows: Int, bytes: Int): Boolean = {
    val newRows =
      if (rows <= stage.capacity) stage.capacity
      else larger(stage.capacity, FirstBytes / rowBytes, rows, mostRows)
    val newBytes =
      if (bytes <= stage.bytes.length) stage.bytes.length
      else larger(stage.bytes.length, FirstBytes, bytes, most)
    val more = newRows.toLong * rowBytes + newBytes - stage.heldBytes
    if (heldBytes + more > AllBytes) releaseEmpty(stage)
    val granted = heldBytes + more <= AllBytes && memory.acquire(more)
    if (granted) stage.resize(newRows, newBytes)
    granted
  }

  private def releaseEmpty(except: StagedRows): Unit = {
    var partition = 0
    while (partition < partitions) {
      val other = stages(partition)
      if (other.count == 0 && !promised(partition) && (other ne except)) release(other)
      partition += 1
    }
  }

  private def release(stage: StagedRows): Unit = {
    memory.freeMemory(stage.heldBytes)
    stage.resize(0, 0)
  }

  private def larger(size: Int, first: Int, needed: Int, most: Int): Int =
    math.max(needed, math.min(most, math.max(size * 4, first)))

  /** The stage of a partition, for adding rows. */
  def open(partition: Int): StagedRows = {
    val stage = stages(partition)
    if (stage.count == 0) opened += 1
    promised(partition) = false
    stage
  }

  /** Encodes a row for which there is no room as a block of its own. */
  def alone(partition: Int, row: UnsafeRow, bytes: Int): Product2[Int, InternalRow] = {
    leavePage()
    val stage = new StagedRows(layout)
    stage.resize(1, bytes)
    stage.add(row)
    val once = write.newEncoder()
    val size = once.encode(stage)
    record.of(partition, once.bytes, size)
  }

  /**
   * Makes room for rows of a partition without rows, where the others have taken all of it: encodes the rows of the largest one as a
   * block, and releases its arrays. Null if little room has been taken, or if the rows are too large for a block with others.
   */
  def makeRoom(rows: Int, bytes: Long): Product2[Int, InternalRow] = {
    val others = stages.indices.filter(partition => stages(partition).count > 0 && !promised(partition))
    if (heldBytes < AllBytes / 2 || rows > mostRows || bytes > most || others.isEmpty) null
    else {
      val largest = others.maxBy(stages(_).heldBytes)
      val block = handOut(largest)
      release(stages(largest))
      block
    }
  }

  /** Encodes the rows of a partition as a block, and empties the partition. */
  def handOut(partition: Int): Product2[Int, InternalRow] = {
    leavePage()
    val stage = stages(partition)
    val size = encoder.encode(stage)
    stage.clear()
    opened -= 1
    record.of(partition, encoder.bytes, size)
  }

  /** Encodes the rows of the first partition that is not empty as a block. */
  def drain(): Product2[Int, InternalRow] = {
    while (stages(drained).count == 0) drained += 1
    handOut(drained)
  }

  private def leavePage(): Unit = if (reserved > 0) {
    memory.freeMemory(reserved)
    reserved = 0
  }

  /** The memory of the stages, in bytes. */
  def heldBytes: Long = memory.getUsed - reserved

  /** Gives all memory back. */
  def close(): Unit = {
    memory.releaseAll()
    reserved = 0
  }
}

private[exchange] object BlockStages {
  private val FirstBytes = 1 << 10
  private val LeastBytes = 1 << 12
  private val MostBytes = 1 << 16
  private val AllBytes = 1 << 24
  private val ReservedBytes = 1L << 20
}
