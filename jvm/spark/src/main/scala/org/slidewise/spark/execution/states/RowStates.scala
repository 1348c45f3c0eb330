package org.slidewise.spark.execution.states

import org.apache.spark.memory.{MemoryConsumer, MemoryMode}
import org.apache.spark.sql.catalyst.InternalRow

import org.slidewise.core.durable.SegmentStates
import org.slidewise.spark.execution.rows.RowsByPosition
import org.slidewise.spark.execution.task.TaskResources

/**
 * The states of one frame's aggregate functions over the rows of a log.
 *
 * Declines to spill: there are few states if memory is short (see [[org.slidewise.core.frames.TwoStacksFrames]]), and their rows
 * are in the log, which does spill.
 *
 * @param mode
 *   the memory of the states: pages follow Spark's setting, objects are always on the heap
 */
abstract private[execution] class RowStates(
    functions: FrameFunctions,
    rows: RowsByPosition,
    resources: TaskResources,
    mode: MemoryMode
) extends MemoryConsumer(resources.memory, 0L, mode)
    with SegmentStates[InternalRow] {

  private[this] var combined = 0L
  protected var peak = 0L
  final def combines: Long = combined
  final def peakMemory: Long = peak

  /** The state in `slot`, valid until the next call of the same method. */
  protected def older(slot: Int): InternalRow
  protected def newer(slot: Int): InternalRow

  /** Makes `target` the aggregate of `left` followed by `right`; `target` may be `left`. */
  protected def merge(target: Int, left: Int, right: Int): Unit

  /** Called after rows have been added to the state in `slot`. */
  protected def changed(slot: Int): Unit = ()

  /** Called when the log drops all rows. */
  def reset(): Unit = ()

  def clear(slot: Int): Unit = functions.clear(older(slot))

  final def accumulate(slot: Int, from: Long, until: Long): Unit = {
    val state = older(slot)
    var position = from
    // A state that grows with its rows is charged while it grows. Measuring takes time, so the distance between measurements
    // grows, too.
    var measureAt = from + RowStates.MeasureFrom
    while (position < until) {
      functions.update(state, rows(position))
      position += 1
      if (position % RowStates.CheckEvery == 0) resources.stopIfCancelled()
      if (position == measureAt) {
        changed(slot)
        measureAt += (position - from) / 2
      }
    }
    changed(slot)
    combined += until - from
  }

  final def lift(first: Int, from: Long, until: Long): Unit = {
    var slot = first
    var position = from
    while (position < until) {
      clear(slot)
      functions.update(older(slot), rows(position))
      changed(slot)
      slot += 1
      position += 1
    }
  }

  final def combine(target: Int, left: Int, right: Int): Unit = {
    merge(target, left, right)
    combined += 1
    if (combined % RowStates.CheckEvery == 0) resources.stopIfCancelled()
  }

  /** Lets `write` change the state in `slot`. */
  final def preset(slot: Int)(write: InternalRow => Unit): Unit = {
    write(older(slot))
    changed(slot)
  }

  /** A new state outside of all slots. `write` gets the aggregate of no rows. */
  final def newState(write: InternalRow => Unit): InternalRow = {
    val state = functions.newState()
    write(state)
    state
  }

  private[this] lazy val scratch = functions.newState()

  /**
   * Writes the results for the merge of `before`, the state in `slot` and `after`, without changing them. `before` or `after` may
   * be null, but not both.
   */
  final def lowerBetween(
      before: InternalRow,
      slot: Int,
      after: InternalRow,
      results: InternalRow
  ): Unit = {
    if (before == null) merge(older(slot), after)
    else {
      merge(before, older(slot))
      if (after != null) {
        functions.mergeInPlace(scratch, after)
        combined += 1
      }
    }
    functions.lower(scratch, results)
  }

  private def merge(older: InternalRow, newer: InternalRow): Unit = {
    functions.merge(scratch, older, newer)
    combined += 1
  }

  final def lower(slot: Int, results: InternalRow): Unit = functions.lower(older(slot), results)

  /** Releases all memory. */
  def close(): Unit

  final override def spill(size: Long, trigger: MemoryConsumer): Long = 0L
}

private[execution] object RowStates {

  /** The number of combines between checks for cancellation. */
  private val CheckEvery = 4096L

  /** The number of rows that a state takes before it is measured for the first time. */
  private val MeasureFrom = 4096L

  /**
   * @param maxBytes
   *   memory limit for cached states; fewer are cached if the task has less
   */
  def apply(
      functions: FrameFunctions,
      rows: RowsByPosition,
      resources: TaskResources,
      maxBytes: Long
  ): RowStates =
    if (functions.fixedWidth) new PagedStates(functions, rows, resources, maxBytes)
    else new ObjectStates(functions, rows, resources, maxBytes)
}
