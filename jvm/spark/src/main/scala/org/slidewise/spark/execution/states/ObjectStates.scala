package org.slidewise.spark.execution.states

import org.apache.spark.memory.{MemoryMode, SparkOutOfMemoryError}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow

import org.slidewise.core.frames.StatesOutgrown
import org.slidewise.spark.errors.MessageParameters
import org.slidewise.spark.execution.rows.RowsByPosition
import org.slidewise.spark.execution.task.{HeapMemory, TaskResources}

/**
 * States that hold objects: strings, wide decimals, sketches, users' buffers.
 *
 * Memory: the sizes of the states themselves, estimated by [[StateSizes]] after each change and charged to the on-heap pool. A
 * single state is not charged if the task has too little memory, because Spark's own operator would hold it as well and not
 * charge it.
 */
final private[execution] class ObjectStates(
    functions: FrameFunctions,
    rows: RowsByPosition,
    resources: TaskResources,
    maxBytes: Long
) extends RowStates(functions, rows, resources, MemoryMode.ON_HEAP) {

  private[this] val sizes = new StateSizes(functions.stateTypes)
  private[this] var states = Array.empty[InternalRow]
  private[this] var sizeOf = Array.emptyLongArray
  private[this] var total, largest = 0L
  private[this] var limit = Long.MaxValue
  private[this] var isSingle, overcommitted = false

  protected def older(slot: Int): InternalRow = {
    if (states(slot) == null) states(slot) = new SpecificInternalRow(functions.stateTypes)
    states(slot)
  }
  protected def newer(slot: Int): InternalRow = states(slot)

  protected def merge(target: Int, left: Int, right: Int): Unit = {
    if (target == left) functions.mergeInPlace(states(target), states(right))
    else functions.merge(older(target), states(left), states(right))
    changed(target)
  }

  def copyOf(slot: Int): InternalRow = functions.copyOf(states(slot))

  def put(slot: Int, state: InternalRow): Unit = {
    functions.copyTo(older(slot), state)
    changed(slot)
  }

  override protected def changed(slot: Int): Unit = {
    val size = sizes.of(states(slot))
    total += size - sizeOf(slot)
    sizeOf(slot) = size
    if (size > largest) largest = size
    if (overcommitted) peak = math.max(peak, total)
    else if (total > limit || total > getUsed && !acquire(total + total / 4)) outgrown()
  }

  private def outgrown(): Unit =
    if (isSingle) overcommit()
    else if (limit == Long.MaxValue) throw outOfMemory(total)
    else {
      limit = Long.MaxValue
      forget(1)
      throw new StatesOutgrown
    }

  /** Stops charging the single state, and leaves the memory to other consumers. */
  private def overcommit(): Unit = {
    overcommitted = true
    if (getUsed > 0) freeMemory(getUsed)
  }

  def tryReserve(slots: Int): Boolean = {
    val bytes = bytesOf(slots)
    val fits = bytes <= maxBytes && acquire(bytes)
    if (fits) {
      isSingle = false
      limit = maxBytes
      extend(slots)
    }
    fits
  }

  def reserve(slots: Int): Unit = {
    limit = Long.MaxValue
    forget(slots)
    isSingle = slots == 1
    if (!overcommitted && !acquire(bytesOf(slots)))
      if (isSingle) overcommit() else throw outOfMemory(bytesOf(slots))
    extend(slots)
  }

  // The empty state takes no memory to speak of, and the other one is still the only one.
  override def reserveBesideEmpty(): Unit = {
    reserve(1)
    extend(2)
  }

  /** The memory to charge for slots, which includes slots without a state. */
  private def bytesOf(slots: Int): Long = slots * math.max(largest, StateSizes.Slot)

  private def acquire(bytes: Long): Boolean = {
    val wanted = bytes - getUsed
    val fits = wanted <= 0 ||
      (if (isSingle) HeapMemory.takeAndLeave(this, wanted, bytes) else HeapMemory.take(this, wanted))
    peak = math.max(peak, getUsed)
    fits
  }

  private def extend(slots: Int): Unit = if (slots > states.length) {
    val length = math.max(slots, math.min(2L * states.length, Int.MaxValue - 16L).toInt)
    states = java.util.Arrays.copyOf(states, length)
    sizeOf = java.util.Arrays.copyOf(sizeOf, length)
  }

  /** Drops the states from slot `from` on and releases their memory. */
  private def forget(from: Int): Unit = {
    var slot = from
    while (slot < states.length) {
      total -= sizeOf(slot)
      sizeOf(slot) = 0L
      states(slot) = null
      slot += 1
    }
    if (getUsed > total) freeMemory(getUsed - total)
  }

  private def outOfMemory(wanted: Long) = new SparkOutOfMemoryError(
    "UNABLE_TO_ACQUIRE_MEMORY",
    MessageParameters("requestedBytes" -> wanted.toString, "receivedBytes" -> getUsed.toString)
  )

  override def reset(): Unit = {
    largest = 0L
    overcommitted = false
  }

  def close(): Unit = {
    forget(0)
    overcommitted = false
  }
}
