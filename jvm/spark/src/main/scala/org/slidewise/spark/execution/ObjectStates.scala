package org.slidewise.spark.execution

import org.apache.spark.memory.{SparkOutOfMemoryError, TaskMemoryManager}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.util.SizeEstimator

/**
 * States that are objects, or hold some: strings, wide decimals, sketches, users' buffers.
 *
 * Memory: slots × the estimated size of the largest state seen when slots were last added.
 */
final private[execution] class ObjectStates(
    functions: FrameFunctions,
    rows: RowLog#Reader,
    memory: TaskMemoryManager,
    protected val maxBytes: Long
) extends RowStates(functions, rows, memory) {

  private[this] var states: Array[InternalRow] = Array.empty
  private[this] var each = 0L

  protected def older(slot: Int): InternalRow = {
    if (states(slot) == null) states(slot) = new SpecificInternalRow(functions.stateTypes)
    states(slot)
  }
  protected def newer(slot: Int): InternalRow = states(slot)

  protected def merge(target: Int, left: Int, right: Int): Unit =
    if (target == left) functions.mergeInPlace(states(target), states(right))
    else functions.merge(older(target), states(left), states(right))

  def tryReserve(slots: Int): Boolean =
    slots <= reserved || {
      measure()
      slots * each <= maxBytes && acquire(slots)
    }

  def reserve(slots: Int): Unit = if (slots > reserved) {
    measure()
    if (!acquire(slots))
      throw new SparkOutOfMemoryError(
        "UNABLE_TO_ACQUIRE_MEMORY",
        java.util.Map.of("requestedBytes", (slots * each).toString, "receivedBytes", getUsed.toString)
      )
  }

  /** The newest state is among the largest: it stands for many rows. */
  private def measure(): Unit =
    if (reserved > 0 && states(0) != null) each = math.max(each, SizeEstimator.estimate(states(0)))

  private def acquire(slots: Int): Boolean = {
    val wanted = slots * each - getUsed
    val granted = if (wanted > 0) acquireMemory(wanted) else 0L
    val enough = wanted <= 0 || granted == wanted
    if (enough) {
      peak = math.max(peak, getUsed)
      if (slots > states.length) states = java.util.Arrays.copyOf(states, math.max(slots, 2 * states.length))
      reserved = slots
    } else freeMemory(granted)
    enough
  }

  def close(): Unit = {
    states = Array.empty
    reserved = 0
    if (getUsed > 0) freeMemory(getUsed)
  }
}
