package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.types.BooleanType

import org.slidewise.spark.execution.rows.PartitionRows
import org.slidewise.spark.execution.states.FrameElements
import org.slidewise.spark.execution.surroundings.SurroundingStates
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.plan.{EvaluationMethod, FramePlan, RowWisePlan}

/** The row that the evaluators of a plan write to: a field for each answer, then one for each guard of each frame. */
final private[execution] class AnswerRow(plan: RowWisePlan) {
  private[this] val firstGuards = plan.frames.scanLeft(plan.answers.size)(_ + _.guards.size)

  val row: InternalRow = new SpecificInternalRow(
    plan.answers.map(_.dataType) ++ Seq.fill(firstGuards.last - plan.answers.size)(BooleanType)
  )

  /** The ordinal of the first guard of the plan's frame number `frame`. */
  def firstGuard(frame: Int): Int = firstGuards(frame)
}

/** Evaluates the functions of one frame for one row after the other. */
private[execution] trait FrameEvaluator {

  /** Writes the answers for the current frame. */
  def evaluate(): Unit

  /** Begins a new partition. */
  def reset(): Unit

  /** Passes the aggregates of the partition's rows before the first row that this evaluator gets. Called after [[reset]]. */
  def startAfter(before: SurroundingStates): Unit = ()

  /**
   * Passes the aggregates of the partition's rows after the last row that this evaluator gets. Called when that row has arrived.
   */
  def endBefore(after: SurroundingStates): Unit = ()

  /** Passes a reader for the rest of the current partition, which can read rows before they arrive. Called at most once. */
  def mayReadAhead(partition: PartitionRows): Unit = ()

  /** The oldest row that an evaluation of the current frame or a later one may read. */
  def oldestNeeded: Long

  def combines: Long

  /** The number of frames that were recalculated as Spark does, because merged buffers could have led to another result. */
  def recalculated: Long = 0L

  /** The number of partitions whose distinct values were sorted, because they did not fit in memory. */
  def sortedPartitions: Long = 0L
  def peakMemory: Long = 0L

  /** Bytes written to files so far, except for those that Spark's sorter counts with the task. */
  def spilledBytes: Long = 0L

  /** Gives all memory back. */
  def close(): Unit
}

private[execution] object FrameEvaluator {

  /**
   * The evaluator of a frame over the rows of a table.
   *
   * @param index
   *   the frame's number in the plan that `answers` belongs to
   * @param bounds
   *   the bounds of the frames
   * @param elements
   *   the elements of the frames
   */
  def of(
      frame: FramePlan,
      index: Int,
      bounds: FrameBounds,
      elements: FrameElements,
      resources: TaskResources,
      maxStateBytes: Long,
      answers: AnswerRow
  ): FrameEvaluator = {
    val row = answers.row
    frame.method match {
      case EvaluationMethod.AdditiveSummaries =>
        new SummaryEvaluator(frame, bounds, elements.attributes, elements.newReader(), resources, row)
      case EvaluationMethod.SlidingMultiset =>
        new MultisetEvaluator(
          frame,
          bounds,
          elements,
          resources,
          maxStateBytes,
          row,
          FrameMultiset.of(_, elements.attributes, _)
        )
      case EvaluationMethod.RowReferences => new ReferenceEvaluator(frame, bounds, elements, row)
      case _                              =>
        val firstGuard = answers.firstGuard(index)
        new BufferEvaluator(frame, bounds, elements, resources, maxStateBytes, row, firstGuard)
    }
  }
}
