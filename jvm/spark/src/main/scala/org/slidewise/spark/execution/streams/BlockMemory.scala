package org.slidewise.spark.execution.streams

import org.apache.spark.memory.MemoryConsumer

import org.slidewise.spark.execution.task.TaskResources

/** Lends memory to a log. */
private[streams] trait BlockMemory {

  /** How much of `bytes` the log may hold. */
  def upTo(bytes: Long, log: StateLog): Long
}

/**
 * Memory of the task, taken in steps. When another consumer needs it, the log writes blocks to the state store; what comes from
 * another thread than the one that the log is used by is declined.
 */
final private[streams] class TaskBlockMemory(resources: TaskResources)
    extends MemoryConsumer(resources.memory, 0L, resources.memory.getTungstenMemoryMode)
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

  /** Gives all of it back. */
  def close(): Unit = if (getUsed > 0) freeMemory(getUsed)
}

private object TaskBlockMemory {
  private val Step = 256L << 10
}
