package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute

import org.slidewise.spark.execution.rows.RowsByPosition
import org.slidewise.spark.execution.task.{HeapMemory, TaskResources}
import org.slidewise.spark.execution.states.FrameElements
import org.slidewise.spark.plan.{FramePlan, PlannedAggregate}

/**
 * Evaluates functions of the distinct values of a frame: each row is read when it enters the frame, and again when it leaves.
 * Where the elements of a frame do not make up a multiset, the rest of the partition is recalculated, as Spark does.
 *
 * @param bounds
 *   where the frames are
 * @param input
 *   the attributes of an element of the frames
 * @param newReader
 *   of the elements
 * @param answers
 *   the row that results are written to
 * @param multisetOf
 *   the multiset of a function, which charges its memory
 * @param elements
 *   what the frames consist of
 */
final private[execution] class MultisetEvaluator(
    plan: FramePlan,
    bounds: FrameBounds,
    input: Seq[Attribute],
    newReader: () => RowsByPosition,
    resources: TaskResources,
    maxStateBytes: Long,
    answers: InternalRow,
    multisetOf: (PlannedAggregate, HeapMemory) => FrameMultiset,
    elements: FrameElements = FrameElements.InputRows
) extends FrameEvaluator {
  import MultisetEvaluator.CheckEvery

  private[this] val memory = new HeapMemory(resources)
  private[this] val multisets = plan.aggregates.map(multisetOf(_, memory)).toArray
  private[this] val ordinals = plan.aggregates.map(_.answer).toArray
  private[this] val entering = newReader()
  private[this] val leaving = newReader()
  private[this] val recalculation =
    new FrameRecalculation(plan.aggregates, input, newReader(), resources, maxStateBytes, answers, elements)

  // The rows that the multisets hold, and the bounds of the last frame.
  private[this] var start, end = 0L
  private[this] var lo, hi = -1L
  private[this] var recalculates = false
  private[this] var moved = 0L

  override def evaluate(): Unit = if (bounds.lo != lo || bounds.hi != hi) {
    lo = bounds.lo
    hi = bounds.hi
    if (!recalculates)
      try {
        slide()
        write()
      } catch {
        case NoMultiset =>
          recalculates = true
          clear()
      }
    if (recalculates) recalculation.evaluate(lo, hi)
  }

  private def slide(): Unit = {
    if (lo >= end) {
      multisets.foreach(_.clear())
      end = lo
    } else
      while (start < lo) {
        val row = leaving(start)
        var i = 0
        while (i < multisets.length) {
          multisets(i).remove(row)
          i += 1
        }
        start += 1
        count()
      }
    start = lo
    while (end < hi) {
      val row = entering(end)
      var i = 0
      while (i < multisets.length) {
        multisets(i).add(row)
        i += 1
      }
      end += 1
      count()
    }
  }

  private def count(): Unit = {
    moved += 1
    if (moved % CheckEvery == 0) resources.stopIfCancelled()
  }

  private def write(): Unit = {
    var i = 0
    while (i < multisets.length) {
      val result = multisets(i).result
      if (result == null) answers.setNullAt(ordinals(i)) else answers.update(ordinals(i), result)
      i += 1
    }
  }

  private def clear(): Unit = {
    memory.releaseAll()
    multisets.foreach(_.restart())
  }

  override def reset(): Unit = {
    if (recalculates) {
      recalculation.reset()
      recalculation.close() // its buffers may be large, and the multisets need the memory
    } else if (memory.isOvercommitted) clear()
    else multisets.foreach(_.clear())
    recalculates = false
    start = 0L
    end = 0L
    lo = -1L
    hi = -1L
  }

  // The rows that the multisets hold are read again when they leave.
  override def oldestNeeded: Long = if (recalculates || bounds.lo >= end) bounds.lo else start

  override def combines: Long = moved * multisets.length + recalculation.combines
  override def recalculated: Long = recalculation.frames
  override def peakMemory: Long = memory.peakHeapMemory + recalculation.peakMemory

  override def close(): Unit = {
    clear()
    recalculation.close()
  }
}

private object MultisetEvaluator {
  private val CheckEvery = 4096L
}
