package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow

import org.slidewise.spark.execution.rows.PartitionRows
import org.slidewise.spark.execution.states.FrameElements
import org.slidewise.spark.execution.task.{HeapMemory, TaskResources}
import org.slidewise.spark.plan.{FramePlan, PlannedAggregate, RowMultiset}

/**
 * Evaluates functions of the multiset of a frame's values. Reads each row when it enters the frame, and again when it leaves. If
 * the elements of a frame do not determine a multiset, the rest of the partition is recalculated, as Spark does. If the values
 * exceed the task's memory, [[ExternalDistinct]] evaluates the DISTINCT aggregates of the rest of the partition, provided that
 * its rows can be read ahead.
 *
 * @param bounds
 *   the bounds of the frames
 * @param elements
 *   the elements of the frames
 * @param answers
 *   the row that results are written to
 * @param multisetOf
 *   the multiset of a function, which charges its memory
 * @param sortsFrom
 *   the minimum size, in bytes, of values that are sorted if they do not fit in memory; none for a default that depends on the
 *   functions
 */
final private[execution] class MultisetEvaluator(
    plan: FramePlan,
    bounds: FrameBounds,
    elements: FrameElements,
    resources: TaskResources,
    maxStateBytes: Long,
    answers: InternalRow,
    multisetOf: (PlannedAggregate, HeapMemory) => FrameMultiset,
    sortsFrom: Option[Long] = None
) extends FrameEvaluator {
  import MultisetEvaluator.CheckEvery

  private[this] val (distinct, others) =
    plan.aggregates.partition(_.description.isOfDistinct)

  // The values of DISTINCT are held apart: only they can be sorted instead, and the size of other values is no reason to sort
  // them.
  private[this] val (ofDistinct, ofOthers) =
    (new FrameMultisets(distinct, resources, multisetOf), new FrameMultisets(others, resources, multisetOf))

  private[this] var external: ExternalDistinct = _
  private[this] var partition: PartitionRows = _
  private[this] lazy val within = elements.newReader()
  private[this] val leastBytes = sortsFrom.getOrElse(MultisetEvaluator.sortsFrom(distinct))
  private[this] val entering = elements.newReader()
  private[this] val leaving = elements.newReader()
  private[this] val recalculation =
    new FrameRecalculation(plan.aggregates, elements, resources, maxStateBytes, answers)

  // The rows that the multisets hold, and the bounds of the last frame.
  private[this] var start, end = 0L
  private[this] var lo, hi = -1L
  private[this] var recalculates = false
  private[this] var passed, moved = 0L
  private[this] var spilled, peakOfExternal, sorts, sorted = 0L

  override def mayReadAhead(partition: PartitionRows): Unit = this.partition = partition

  override def evaluate(): Unit = if (bounds.lo != lo || bounds.hi != hi) {
    lo = bounds.lo
    hi = bounds.hi
    if (!recalculates)
      try {
        slide()
        if (isFull) {
          goExternal()
          slide()
        }
        ofOthers.writeTo(answers)
        if (external == null) ofDistinct.writeTo(answers) else external.evaluate(lo, hi)
      } catch {
        case NoMultiset =>
          recalculates = true
          leaveExternal()
          releaseAll()
      }
    if (recalculates) recalculation.evaluate(lo, hi)
  }

  /** Whether the values have exceeded the memory and can be sorted instead. */
  private def isFull: Boolean =
    ofDistinct.uncharged > 0L && external == null && partition != null && ofDistinct.uncharged >= leastToSort

  /**
   * The minimum size of values that are sorted, in bytes. Spark's sorters hold up to 1 MB of heap each until the task ends, so
   * each further sort must save more.
   */
  private def leastToSort: Long = leastBytes * (1L + sorts)

  /** Whether DISTINCT aggregates of the current partition are evaluated from sorted values. */
  private[frames] def isExternal: Boolean = external != null

  /** Switches to [[ExternalDistinct]], beginning with the current frame. */
  private def goExternal(): Unit = {
    releaseAll()
    start = lo
    end = lo
    external = new ExternalDistinct(distinct, elements.attributes, lo, partition, within, resources, answers)
    sorts += distinct.size
    sorted += 1
  }

  private def slide(): Unit = if (external != null && ofOthers.count == 0) {
    start = lo
    end = hi
  } else {
    if (lo >= end || hi <= start) {
      ofDistinct.clear()
      ofOthers.clear()
      start = lo
      end = lo
    }
    while (start < lo) {
      remove(start)
      start += 1
    }
    while (end > hi) { // only frames over another table move back
      end -= 1
      remove(end)
    }
    while (start > lo && !isFull) {
      start -= 1
      add(start)
    }
    while (end < hi && !isFull) {
      add(end)
      end += 1
    }
  }

  private def remove(position: Long): Unit = {
    val row = leaving(position)
    ofOthers.remove(row)
    if (external == null) ofDistinct.remove(row)
    count()
  }

  private def add(position: Long): Unit = {
    val row = entering(position)
    ofOthers.add(row)
    if (external == null) ofDistinct.add(row)
    count()
  }

  private def count(): Unit = {
    moved += ofOthers.count + (if (external == null) ofDistinct.count else 0)
    passed += 1
    if (passed % CheckEvery == 0) resources.stopIfCancelled()
  }

  private def releaseAll(): Unit = {
    ofDistinct.releaseAll()
    ofOthers.releaseAll()
  }

  override def reset(): Unit = {
    if (recalculates) {
      recalculation.reset()
      recalculation.close() // its buffers may be large, and the multisets need the memory
    } else {
      ofDistinct.clear()
      ofOthers.clear()
    }
    leaveExternal()
    recalculates = false
    start = 0L
    end = 0L
    lo = -1L
    hi = -1L
  }

  private def leaveExternal(): Unit = if (external != null) {
    moved += external.steps
    spilled += external.spilledBytes
    peakOfExternal = math.max(peakOfExternal, external.peakMemory)
    external.close()
    external = null
  }

  // The rows that the multisets hold are read again when they leave.
  override def oldestNeeded: Long = if (recalculates || bounds.lo >= end) bounds.lo else start

  override def combines: Long =
    moved + recalculation.combines + (if (external == null) 0L else external.steps)
  override def recalculated: Long = recalculation.frames
  override def sortedPartitions: Long = sorted
  override def peakMemory: Long = ofDistinct.peakMemory + ofOthers.peakMemory + recalculation.peakMemory +
    math.max(peakOfExternal, if (external == null) 0L else external.peakMemory)
  override def spilledBytes: Long = spilled + (if (external == null) 0L else external.spilledBytes)

  override def close(): Unit = {
    leaveExternal()
    releaseAll()
    recalculation.close()
  }
}

private object MultisetEvaluator {
  private val CheckEvery = 4096L

  /**
   * The minimum size of values that are sorted, in bytes. Two external sorts of fewer bytes would cost more than holding the
   * values on the heap without charging them to the task.
   */
  private val LeastToSort = 4L << 20

  /**
   * The minimum size of values that are sorted, in bytes. After the sort, functions other than `count` read the rows of a frame
   * instead of its distinct values. For these functions, the minimum is at least a quarter of the heap, divided by the number of
   * processors.
   */
  private def sortsFrom(functions: Seq[PlannedAggregate]): Long = {
    val onlyCounts = functions.flatMap(_.description.multiset).forall {
      case RowMultiset.Distinct(_, Some(_)) => true
      case _                                => false
    }
    val share = Runtime.getRuntime.maxMemory / (4L * Runtime.getRuntime.availableProcessors)
    if (onlyCounts) LeastToSort else math.max(LeastToSort, share)
  }
}
