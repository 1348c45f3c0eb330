package org.slidewise.spark.execution.task

import org.apache.spark.memory.{MemoryConsumer, MemoryMode}

/**
 * Execution memory for Java arrays and objects. The memory is charged to the on-heap pool, even if Spark allocates its pages
 * off-heap.
 *
 * Declines to spill; a subclass may override that. Not safe for concurrent use.
 */
private[execution] class HeapMemory(resources: TaskResources)
    extends MemoryConsumer(resources.memory, 0L, MemoryMode.ON_HEAP) {
  private[this] var peak = 0L
  private[this] var excess = 0L

  /** The most memory held at any time, in bytes. */
  final def peakHeapMemory: Long = peak

  /** Takes all of `bytes`, or takes nothing and returns false. */
  final def acquire(bytes: Long): Boolean = bytes == 0L || {
    val fits = HeapMemory.take(this, bytes)
    peak = math.max(peak, getUsed)
    fits
  }

  /**
   * Charges `bytes` to the task, for objects that Spark's own operator would hold as well without charging them. If too little
   * would be left for other consumers, releases everything that has been charged, and charges nothing more until [[releaseAll]].
   */
  final def chargeIfPossible(bytes: Long): Unit = {
    val held = math.max(getUsed, excess) + bytes
    if (isOvercommitted || !HeapMemory.takeAndLeave(this, bytes, held)) {
      excess = held
      freeMemory(getUsed)
    }
    peak = math.max(peak, held)
  }

  /** Whether the objects do not fit in the task's memory. */
  final def isOvercommitted: Boolean = excess > 0

  /** The bytes of the objects if they do not fit in the task's memory, and therefore are not charged; otherwise 0. */
  final def uncharged: Long = excess

  /** Gives all memory back. */
  final def releaseAll(): Unit = {
    excess = 0L
    if (getUsed > 0) freeMemory(getUsed)
  }

  override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
}

private[execution] object HeapMemory {

  /**
   * The memory, in bytes, that a consumer without spilling leaves to the other consumers of the task, which need memory in order
   * to spill.
   */
  private val LeftToOthers = 1L << 20

  /**
   * Takes all of `bytes` if enough memory is then left for other consumers; otherwise takes nothing. The consumer then holds
   * `held` bytes.
   *
   * @return
   *   whether the memory was taken
   */
  def takeAndLeave(consumer: MemoryConsumer, bytes: Long, held: Long): Boolean =
    take(consumer, bytes, math.min(held, LeftToOthers))

  /**
   * Takes all of `bytes` if the task can get `left` further bytes; otherwise takes nothing.
   *
   * @return
   *   whether the memory was taken
   */
  def take(consumer: MemoryConsumer, bytes: Long, left: Long = 0L): Boolean = {
    val granted = consumer.acquireMemory(bytes + left)
    val fits = granted == bytes + left
    val tooMuch = if (fits) left else granted
    if (tooMuch > 0L) consumer.freeMemory(tooMuch)
    fits
  }
}
