package org.slidewise.spark.execution.states

import org.apache.spark.memory.SparkOutOfMemoryError
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.memory.MemoryBlock

import org.slidewise.spark.execution.rows.RowsByPosition
import org.slidewise.spark.execution.task.TaskResources

/**
 * States of fixed width, side by side in a page of the task's memory.
 *
 * Memory: slots × bytes a state, rounded up to a power of two; twice that while it grows.
 */
final private[execution] class PagedStates(
    functions: FrameFunctions,
    rows: RowsByPosition,
    resources: TaskResources,
    maxBytes: Long
) extends RowStates(functions, rows, resources, resources.memory.getTungstenMemoryMode) {

  private[this] val empty = functions.emptyFixedWidthState()
  private[this] val width = empty.getSizeInBytes
  private[this] val left, right = new UnsafeRow(empty.numFields)
  private[this] var page: MemoryBlock = _
  private[this] var reserved = 0

  private[this] def pointTo(row: UnsafeRow, slot: Int): UnsafeRow = {
    row.pointTo(page.getBaseObject, page.getBaseOffset + slot.toLong * width, width)
    row
  }

  protected def older(slot: Int): InternalRow = pointTo(left, slot)
  protected def newer(slot: Int): InternalRow = pointTo(right, slot)

  override def clear(slot: Int): Unit = write(slot, empty.getBaseObject, empty.getBaseOffset)

  protected def merge(target: Int, left: Int, right: Int): Unit = {
    if (target != left) write(target, page.getBaseObject, page.getBaseOffset + left.toLong * width)
    functions.mergeInPlace(older(target), newer(right))
  }

  private def write(slot: Int, base: AnyRef, offset: Long): Unit =
    Platform.copyMemory(
      base,
      offset,
      page.getBaseObject,
      page.getBaseOffset + slot.toLong * width,
      width.toLong
    )

  def copyOf(slot: Int): InternalRow = pointTo(right, slot).copy()

  def put(slot: Int, state: InternalRow): Unit = {
    val row = state.asInstanceOf[UnsafeRow]
    write(slot, row.getBaseObject, row.getBaseOffset)
  }

  def tryReserve(slots: Int): Boolean =
    slots <= reserved || slots.toLong * width <= maxBytes && {
      try { reserve(slots); true }
      catch { case _: SparkOutOfMemoryError => false }
    }

  def reserve(slots: Int): Unit = if (slots > reserved) {
    val wanted =
      math.max(java.lang.Long.highestOneBit(slots.toLong * width - 1) * 2, PagedStates.SmallestPage)
    val newPage = allocatePage(wanted)
    peak = math.max(peak, getUsed)
    if (page != null) {
      Platform.copyMemory(
        page.getBaseObject,
        page.getBaseOffset,
        newPage.getBaseObject,
        newPage.getBaseOffset,
        reserved.toLong * width
      )
      freePage(page)
    }
    page = newPage
    reserved = math.min(page.size / width, Int.MaxValue.toLong).toInt
  }

  def close(): Unit = if (page != null) {
    freePage(page)
    page = null
    reserved = 0
  }
}

private[execution] object PagedStates {
  private val SmallestPage = 4096L
}
