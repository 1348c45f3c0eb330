package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.expressions.aggregate.Count

import org.slidewise.spark.execution.rows.{PartitionRows, RowsByPosition}
import org.slidewise.spark.execution.states.FrameElements
import org.slidewise.spark.execution.task.{HeapMemory, TaskResources}
import org.slidewise.spark.expressions.DistinctAggregate
import org.slidewise.spark.plan.{FramePlan, PlannedAggregate}

/**
 * Evaluates functions of the distinct values of a frame: each row is read when it enters the frame, and again when it leaves.
 * Where the elements of a frame do not make up a multiset, the rest of the partition is recalculated, as Spark does. Where the
 * values exceed the task's memory, DISTINCT aggregates of the rest of the partition are evaluated by [[ExternalDistinct]], if its
 * rows can be read ahead.
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
 * @param sortsFrom
 *   the least bytes of a frame's values that are sorted if they do not fit; none for what the functions gain by it
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
    elements: FrameElements = FrameElements.InputRows,
    sortsFrom: Option[Long] = None
) extends FrameEvaluator {
  import MultisetEvaluator.CheckEvery

  // The values of percentiles and modes, which cannot be sorted instead, are no reason to sort those of DISTINCT.
  private[this] val memory, memoryOfOthers = new HeapMemory(resources)
  private[this] val (distinct, others) = {
    val (distinct, others) = plan.aggregates.partition(_.function.isInstanceOf[DistinctAggregate])
    (distinct.map(a => a -> multisetOf(a, memory)), others.map(a => a -> multisetOf(a, memoryOfOthers)))
  }
  private[this] val all = new Multisets(distinct ++ others)
  private[this] val allButDistinct = new Multisets(others)

  // Those of the current partition.
  private[this] var multisets = all
  private[this] var external: ExternalDistinct = _
  private[this] var partition: PartitionRows = _
  private[this] lazy val within = newReader()
  private[this] val leastBytes = sortsFrom.getOrElse(MultisetEvaluator.sortsFrom(distinct.map(_._1)))
  private[this] val entering = newReader()
  private[this] val leaving = newReader()
  private[this] val recalculation =
    new FrameRecalculation(plan.aggregates, input, newReader(), resources, maxStateBytes, answers, elements)

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
        multisets.write()
        if (external != null) external.evaluate(lo, hi)
      } catch {
        case NoMultiset =>
          recalculates = true
          leaveExternal()
          clear()
      }
    if (recalculates) recalculation.evaluate(lo, hi)
  }

  /** Whether the values have exceeded the memory and can be sorted instead. */
  private def isFull: Boolean =
    memory.isOvercommitted && external == null && partition != null && memory.uncharged >= leastToSort

  /** Spark's sorters hold up to 1 MB of heap each until the task ends, so that each further sort must save more. */
  private def leastToSort: Long = leastBytes * (1L + sorts)

  /** Whether DISTINCT aggregates of the current partition are evaluated from sorted values. */
  private[frames] def isExternal: Boolean = external != null

  /** Begins anew with the current frame. */
  private def goExternal(): Unit = {
    clear()
    multisets = allButDistinct
    start = lo
    end = lo
    external = new ExternalDistinct(distinct.map(_._1), input, lo, partition, within, resources, answers)
    sorts += distinct.size
    sorted += 1
  }

  private def slide(): Unit = if (multisets.size == 0) {
    start = lo
    end = hi
  } else {
    if (lo >= end) {
      multisets.clear()
      end = lo
    } else
      while (start < lo) {
        multisets.remove(leaving(start))
        start += 1
        count()
      }
    start = lo
    while (end < hi && !isFull) {
      multisets.add(entering(end))
      end += 1
      count()
    }
  }

  private def count(): Unit = {
    moved += multisets.size
    passed += 1
    if (passed % CheckEvery == 0) resources.stopIfCancelled()
  }

  private def clear(): Unit = {
    memory.releaseAll()
    memoryOfOthers.releaseAll()
    multisets.restart()
  }

  override def reset(): Unit = {
    if (recalculates) {
      recalculation.reset()
      recalculation.close() // its buffers may be large, and the multisets need the memory
    } else if (memory.isOvercommitted || memoryOfOthers.isOvercommitted) clear()
    else multisets.clear()
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
    multisets = all
  }

  // The rows that the multisets hold are read again when they leave.
  override def oldestNeeded: Long = if (recalculates || bounds.lo >= end) bounds.lo else start

  override def combines: Long =
    moved + recalculation.combines + (if (external == null) 0L else external.steps)
  override def recalculated: Long = recalculation.frames
  override def sortedPartitions: Long = sorted
  override def peakMemory: Long =
    memory.peakHeapMemory + memoryOfOthers.peakHeapMemory + recalculation.peakMemory +
      math.max(peakOfExternal, if (external == null) 0L else external.peakMemory)
  override def spilledBytes: Long = spilled + (if (external == null) 0L else external.spilledBytes)

  override def close(): Unit = {
    leaveExternal()
    clear()
    recalculation.close()
  }

  /** Multisets of the same rows. */
  final private class Multisets(of: Seq[(PlannedAggregate, FrameMultiset)]) {
    private[this] val multisets = of.map(_._2).toArray
    private[this] val ordinals = of.map(_._1.answer).toArray

    def size: Int = multisets.length

    def add(row: InternalRow): Unit = {
      var i = 0
      while (i < multisets.length) {
        multisets(i).add(row)
        i += 1
      }
    }

    def remove(row: InternalRow): Unit = {
      var i = 0
      while (i < multisets.length) {
        multisets(i).remove(row)
        i += 1
      }
    }

    def write(): Unit = {
      var i = 0
      while (i < multisets.length) {
        val result = multisets(i).result
        if (result == null) answers.setNullAt(ordinals(i)) else answers.update(ordinals(i), result)
        i += 1
      }
    }

    def clear(): Unit = multisets.foreach(_.clear())
    def restart(): Unit = multisets.foreach(_.restart())
  }
}

private object MultisetEvaluator {
  private val CheckEvery = 4096L

  /** Two external sorts for fewer bytes would cost more than the heap that they take beside the task's memory. */
  private val LeastToSort = 4L << 20

  /**
   * From how many bytes of values on they are sorted: for functions that then go over the rows of a frame instead of its distinct
   * values, from a quarter of the heap on, shared by the tasks that run at a time.
   */
  private def sortsFrom(functions: Seq[PlannedAggregate]): Long = {
    val onlyCounts = functions.map(_.function).forall {
      case DistinctAggregate(_: Count, _, _) => true
      case _                                 => false
    }
    val share = Runtime.getRuntime.maxMemory / (4L * Runtime.getRuntime.availableProcessors)
    if (onlyCounts) LeastToSort else math.max(LeastToSort, share)
  }
}
