package org.slidewise.spark.execution.frames

import org.apache.spark.memory.SparkOutOfMemoryError
import org.apache.spark.sql.catalyst.InternalRow

import org.slidewise.core.frames._
import org.slidewise.spark.execution.states.{FrameElements, FrameFunctions, RowStates}
import org.slidewise.spark.execution.surroundings.SurroundingStates
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.plan.{EvaluationMethod, FramePlan}

/**
 * Evaluates the functions of one [[FramePlan]] with aggregation buffers: merged (Two-Stacks Lite), running, or recalculated for
 * each frame. After a user's `merge` has failed, the task recalculates, as Spark does.
 *
 * @param bounds
 *   the bounds of the frames
 * @param elements
 *   the elements of the frames
 * @param answers
 *   the row that results are written to. It has a field for each answer of the plan and, from `firstGuard` on, one for each of
 *   this frame's guards
 */
final private[execution] class BufferEvaluator(
    plan: FramePlan,
    bounds: FrameBounds,
    elements: FrameElements,
    resources: TaskResources,
    maxStateBytes: Long,
    answers: InternalRow,
    firstGuard: Int
) extends FrameEvaluator {
  private[this] val guards = new FrameGuards(plan.aggregates, firstGuard, answers)
  private[this] val merges =
    plan.method != EvaluationMethod.Recalculation && plan.method != EvaluationMethod.Running
  private[this] var outOfMemory = false
  private[this] val states = RowStates(
    new FrameFunctions(
      plan.aggregates.map(_.call) ++ guards.calls,
      plan.aggregates.map(_.answer) ++ guards.ordinals,
      elements.attributes,
      keepsStates = merges,
      mergeMayFail = merges && plan.aggregates.exists(_.description.isForeign),
      elements.kind
    ),
    elements.newReader(),
    resources,
    maxStateBytes
  )
  private[this] var algorithm = newAlgorithm()

  private def newAlgorithm(): FrameAlgorithm = plan.method match {
    case EvaluationMethod.Recalculation => new RecalculationFrames(states)
    case EvaluationMethod.Running       => rising(new RunningFrames(states))
    case _                              =>
      if (plan.frame.rowBounds.forall(_.mayRise)) rising(new TwoStacksFrames(states))
      else new TreeFrames(states)
  }

  private def rising(algorithm: FrameAlgorithm): FrameAlgorithm =
    if (plan.frame.isOfOtherRows) new RestartingFrames(algorithm) else algorithm

  private[this] val recalculation =
    new FrameRecalculation(plan.aggregates, elements, resources, maxStateBytes, answers)

  private[this] val evaluation = new MergedEvaluation(plan.aggregates, guards, recalculation) {
    override protected def merge(lo: Long, hi: Long): Unit = {
      if (older == null && after == null || !bounds.isKnown) states.lower(slide(), answers)
      else states.lowerBetween(older, slide(), after, answers)
      if (before != null) before.addTo(answers, plan.aggregates)
    }
    override protected def drop(): Unit = if (hasFailed) states.close() else algorithm.reset()
    override protected def canRecalculate: Boolean =
      merges && after == null && before == null && older == null
  }

  // The aggregates of the surrounding rows, if frames hold these rows.
  private[this] var before: SurroundingStates = _
  private[this] var older, after: InternalRow = _

  override def startAfter(rows: SurroundingStates): Unit = if (plan.frame.isGrowing) {
    // Frames over the rows of another table may restart.
    if (plan.frame.isOfOtherRows) older = newState(rows)
    else {
      before = rows
      states.preset(algorithm.slide(0L, 0L))(rows.writeTo(_, plan.aggregates))
    }
  }

  override def endBefore(rows: SurroundingStates): Unit = if (plan.frame.reachesEnd) after = newState(rows)

  private def newState(rows: SurroundingStates) = states.newState(rows.writeTo(_, plan.aggregates))

  private[this] var lo, hi = -1L
  private[this] var known = true

  override def evaluate(): Unit = if (bounds.lo != lo || bounds.hi != hi || bounds.isKnown != known) {
    lo = bounds.lo
    hi = bounds.hi
    known = bounds.isKnown
    evaluation.evaluate(lo, hi)
  }

  private def slide(): Int =
    try
      try algorithm.slide(lo, hi)
      catch {
        case _: StatesOutgrown =>
          algorithm.reset()
          algorithm.slide(lo, hi)
      }
    catch {
      case _: SparkOutOfMemoryError if !outOfMemory && merges =>
        // There is no memory for √n buffers. Recalculation needs a single buffer, as Spark does.
        outOfMemory = true
        states.close()
        algorithm = new RecalculationFrames(states)
        algorithm.slide(lo, hi)
    }

  override def reset(): Unit = {
    if (!evaluation.hasFailed) {
      states.reset()
      if (outOfMemory) algorithm = newAlgorithm()
      outOfMemory = false
      algorithm.reset()
    }
    recalculation.reset()
    before = null
    older = null
    after = null
    lo = -1
    hi = -1
  }

  // A running aggregate already includes the rows of earlier frames.
  override def oldestNeeded: Long =
    if (plan.method == EvaluationMethod.Running) math.max(hi, 0L) else bounds.lo

  override def combines: Long = states.combines + recalculation.combines
  override def recalculated: Long = recalculation.frames
  override def peakMemory: Long = states.peakMemory + recalculation.peakMemory
  override def close(): Unit = {
    states.close()
    recalculation.close()
  }
}
