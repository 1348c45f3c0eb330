package org.slidewise.spark.execution.task

import org.apache.spark.memory.{MemoryConsumer, MemoryMode}

/**
 * Execution memory for Java arrays and objects. It is charged to the on-heap pool, also where Spark allocates its pages
 * off-heap.
 *
 * Declines to spill; a subclass may override that. Not safe for concurrent use.
 */
private[execution] class HeapMemory(resources: TaskResources)
    extends MemoryConsumer(resources.memory, 0L, MemoryMode.ON_HEAP) {
  private[this] var peak = 0L

  /** The most memory held at any time, in bytes. */
  final def peakHeapMemory: Long = peak

  /** Takes all of `bytes`, or nothing and returns false. */
  final def acquire(bytes: Long): Boolean = bytes == 0L || {
    val granted = acquireMemory(bytes)
    if (granted < bytes) freeMemory(granted)
    peak = math.max(peak, getUsed)
    granted == bytes
  }

  /** Gives all memory back. */
  final def releaseAll(): Unit = if (getUsed > 0) freeMemory(getUsed)

  override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
}
