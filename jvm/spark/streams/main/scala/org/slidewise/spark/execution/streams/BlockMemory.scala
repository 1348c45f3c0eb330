package org.slidewise.spark.execution.streams

import org.apache.spark.memory.{MemoryConsumer, MemoryMode}

import org.slidewise.spark.execution.task.TaskResources

/** The memory budget of a log for blocks of rows. */
private[streams] trait BlockMemory {

  /** The part of `bytes` that the log may hold. */
  def upTo(bytes: Long, log: StateLog): Long
}

/**
 * Takes the budget from the task's memory manager, in steps. When another consumer needs memory, the log writes blocks to the state
 * store. Declines requests to spill from other threads than the log's, since the log is not thread-safe.
 */
final private[streams] class TaskBlockMemory(resources: TaskResources)
    extends MemoryConsumer(resources.memory, 0L, MemoryMode.ON_HEAP)
    with BlockMemory {
  import TaskBlockMemory._

  private[this] var borrower: StateLog = _
  private[this] var owner: Thread = _

  override def upTo(bytes: Long, log: StateLog): Long = {
    borrower = log
    owner = Thread.currentThread()
    if (bytes > getUsed) acquireMemory(math.max(bytes - getUsed, Step))
    math.min(bytes, getUsed)
  }

  override def spill(size: Long, trigger: MemoryConsumer): Long =
    if ((trigger eq this) || (Thread.currentThread() ne owner)) 0L
    else {
      val freed = math.max(0L, getUsed - borrower.shrinkTo(math.max(0L, getUsed - size)))
      freeMemory(freed)
      freed
    }

  /** Releases all memory. */
  def close(): Unit = if (getUsed > 0) freeMemory(getUsed)
}

private object TaskBlockMemory {
  private val Step = 256L << 10
}
