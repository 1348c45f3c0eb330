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

  private[this] val multisets = new FrameMultisets(plan.aggregates, resources, multisetOf)
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
        multisets.writeTo(answers)
      } catch {
        case NoMultiset =>
          recalculates = true
          multisets.releaseAll()
      }
    if (recalculates) recalculation.evaluate(lo, hi)
  }

  private def slide(): Unit = {
    if (lo >= end) {
      multisets.all.foreach(_.clear())
      end = lo
    } else
      while (start < lo) {
        multisets.remove(leaving(start))
        start += 1
        count()
      }
    start = lo
    while (end < hi) {
      multisets.add(entering(end))
      end += 1
      count()
    }
  }

  private def count(): Unit = {
    moved += 1
    if (moved % CheckEvery == 0) resources.stopIfCancelled()
  }

  override def reset(): Unit = {
    if (recalculates) {
      recalculation.reset()
      recalculation.close() // its buffers may be large, and the multisets need the memory
    } else multisets.clear()
    recalculates = false
    start = 0L
    end = 0L
    lo = -1L
    hi = -1L
  }

  // The rows that the multisets hold are read again when they leave.
  override def oldestNeeded: Long = if (recalculates || bounds.lo >= end) bounds.lo else start

  override def combines: Long = moved * multisets.count + recalculation.combines
  override def recalculated: Long = recalculation.frames
  override def peakMemory: Long = multisets.peakMemory + recalculation.peakMemory

  override def close(): Unit = {
    multisets.releaseAll()
    recalculation.close()
  }
}

private object MultisetEvaluator {
  private val CheckEvery = 4096L
}
