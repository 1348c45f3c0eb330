package org.slidewise.spark.execution.streams

import java.util.HashSet

import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import org.slidewise.spark.execution.task.TaskResources

/**
 * Finds the keys of a state partition whose timers have come, in slices: a scan takes as many keys as there is memory for, and the
 * next scan, when these have been processed, takes further ones. A processed key has a later timer or none.
 *
 * Memory: a slice has as much on-heap memory as the task's memory manager grants, at most [[Timers.SliceBytes]], and
 * [[Timers.FewKeys]] keys whatever it grants. The keys whose timer needs no rewrite have up to [[Timers.UnchangedBytes]]; without
 * a grant, timers are rewritten.
 *
 * @param hasCome
 *   whether a key has something to do, given its timer and its expiry
 */
final private[streams] class Timers(
    cells: StateCells,
    resources: TaskResources,
    cancellation: CancellationCheck,
    hasCome: (Long, Long) => Boolean
) {
  import Timers._

  private[this] var slice = new PendingBlock(0)
  private[this] var next = 0
  private[this] var scannedAll = false
  private[this] val found = new UnsafeRow(cells.keyFields)

  private[this] val unchanged = new HashSet[UnsafeRow]
  private[this] var unchangedBytes = 0L

  final private class Memory extends MemoryConsumer(resources.memory, 0L, MemoryMode.ON_HEAP) {

    /** Whether `bytes` in all are granted. */
    def upTo(bytes: Long, step: Long): Boolean = {
      if (bytes > getUsed) acquireMemory(math.max(bytes - getUsed, step))
      bytes <= getUsed
    }

    def freeAll(): Unit = if (getUsed > 0) freeMemory(getUsed)

    // A slice is in use until it has been processed.
    override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
  }

  private[this] val sliceMemory, unchangedMemory = new Memory

  /**
   * Notes that the selected key has been processed in this batch, although its timer may have come: the timer that it has is early
   * enough, and stays.
   *
   * @return
   *   false if there is no memory to remember that
   */
  def keep(): Boolean = {
    val key = cells.keyOf(StateCells.Timers).copy() // asking for memory may write other cells
    val bytes = unchangedBytes + key.getSizeInBytes + EntryOverhead
    val granted = bytes <= UnchangedBytes && unchangedMemory.upTo(bytes, Step)
    if (granted) {
      unchanged.add(key)
      unchangedBytes = bytes
    }
    granted
  }

  /** The next key whose timer has come, or null; the key before it has been processed. */
  def nextKey(): UnsafeRow = {
    if (next == slice.count && !scannedAll) scan()
    if (next == slice.count) null
    else {
      next += 1
      slice.pointTo(found, next - 1).copy() // which its cells are addressed by
    }
  }

  private def scan(): Unit = {
    val firstProcessed = if (slice.count > 0) slice.pointTo(found, 0).copy() else null
    slice = new PendingBlock(0) // frees the processed one
    next = 0
    val timers = cells.scan(StateCells.Timers)
    try {
      var hasRoom = true
      while (hasRoom && timers.hasNext) {
        cancellation.step()
        val timer = timers.next()
        if (
          hasCome(timer.value.getLong(StateCells.LowField), timer.value.getLong(StateCells.HighField)) &&
          !unchanged.contains(timer.key)
        ) {
          if (slice.count == 0 && timer.key == firstProcessed)
            throw new IllegalStateException("a key has been processed and its timer has not changed")
          slice.append(timer.key)
          hasRoom = hasRoomFor(slice)
        }
      }
      scannedAll = !timers.hasNext
    } finally timers.close()
  }

  /** Whether another key may be added. The arrays of a block grow by doubling. */
  private def hasRoomFor(slice: PendingBlock): Boolean = {
    val bytes = 2L * (slice.size + 4L * slice.count)
    bytes < SliceBytes && sliceMemory.upTo(bytes, Step) || slice.count < FewKeys
  }

  /** Gives all memory back. */
  def close(): Unit = {
    sliceMemory.freeAll()
    unchangedMemory.freeAll()
  }
}

private[streams] object Timers {
  val SliceBytes: Long = 64L << 20
  val UnchangedBytes: Long = 16L << 20
  val FewKeys = 1000
  private val Step = 256L << 10
  private val EntryOverhead = 128L
}
