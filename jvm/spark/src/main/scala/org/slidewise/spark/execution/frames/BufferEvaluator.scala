package org.slidewise.spark.execution.frames

import org.apache.spark.internal.Logging
import org.apache.spark.memory.SparkOutOfMemoryError
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute

import org.slidewise.core.frames.{FrameAlgorithm, RecalculationFrames, StatesOutgrown, TwoStacksFrames}
import org.slidewise.spark.execution.rows.RowLog
import org.slidewise.spark.execution.states.{FrameFunctions, MergeFailed, RowStates}
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.plan.{EvaluationMethod, FramePlan}

/**
 * Evaluates the functions of one [[FramePlan]] from aggregation buffers: merged (Two-Stacks Lite), or recalculated for each
 * frame. Once a user's `merge` has failed, the task recalculates, as Spark does.
 *
 * @param bounds
 *   where the frames are
 * @param answers
 *   the row that results are written to; it has a field for each answer of the plan and, from `firstGuard` on, one for each of
 *   this frame's guards
 */
final private[execution] class BufferEvaluator(
    plan: FramePlan,
    bounds: FrameBounds,
    input: Seq[Attribute],
    log: RowLog,
    resources: TaskResources,
    maxStateBytes: Long,
    answers: InternalRow,
    firstGuard: Int
) extends FrameEvaluator
    with Logging {
  private[this] val functions = plan.aggregates.map(a => (a.function, a.filter))
  private[this] val ordinals = plan.aggregates.map(_.answer)
  private[this] val guards = new FrameGuards(plan.aggregates, firstGuard, answers)
  private[this] var merges = plan.method != EvaluationMethod.Recalculation
  private[this] var mergeHasFailed, outOfMemory = false
  private[this] var states = newStates()
  private[this] var algorithm = newAlgorithm()
  // Of states that were given up when a merge failed, and frames since.
  private[this] var earlierCombines, earlierPeak, framesAfterFailure = 0L

  private def newStates(): RowStates = RowStates(
    new FrameFunctions(
      functions ++ guards.functions,
      ordinals ++ guards.ordinals,
      input,
      keepsStates = merges,
      mergeMayFail = merges && plan.aggregates.exists(_.isForeign)
    ),
    log.reader(),
    resources,
    maxStateBytes
  )

  private def newAlgorithm(): FrameAlgorithm =
    if (merges) new TwoStacksFrames(states) else new RecalculationFrames(states)

  private[this] val recalculation =
    new FrameRecalculation(plan.aggregates, input, log.reader(), resources, maxStateBytes, answers)

  private[this] var lo, hi = -1L

  override def evaluate(): Unit = if (bounds.lo != lo || bounds.hi != hi) {
    lo = bounds.lo
    hi = bounds.hi
    try evaluateFrame()
    catch {
      case failed: MergeFailed =>
        stopMerging(failed)
        evaluateFrame()
    }
  }

  private def evaluateFrame(): Unit =
    try {
      states.lower(slide(), answers)
      if (mergeHasFailed) framesAfterFailure += 1
      if (guards.exceeded) recalculation.evaluate(lo, hi)
    } catch {
      case _: ArithmeticException if guards.nonEmpty =>
        algorithm.reset()
        recalculation.evaluate(lo, hi)
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
        // Not even √n buffers. Spark would need one.
        outOfMemory = true
        states.close()
        algorithm = new RecalculationFrames(states)
        algorithm.slide(lo, hi)
    }

  private def stopMerging(failed: MergeFailed): Unit = {
    logWarning(s"${MergeFailed.Advice} (${functions.map(_._1.prettyName).distinct.mkString(", ")})", failed)
    mergeHasFailed = true
    merges = false
    states.close()
    earlierCombines += states.combines
    earlierPeak = math.max(earlierPeak, states.peakMemory)
    states = newStates()
    algorithm = newAlgorithm()
  }

  override def reset(): Unit = {
    states.reset()
    if (outOfMemory) algorithm = newAlgorithm()
    outOfMemory = false
    algorithm.reset()
    recalculation.reset()
    lo = -1
    hi = -1
  }

  override def combines: Long = earlierCombines + states.combines + recalculation.combines
  override def recalculated: Long = recalculation.frames + framesAfterFailure
  override def peakMemory: Long = math.max(earlierPeak, states.peakMemory) + recalculation.peakMemory
  override def close(): Unit = {
    states.close()
    recalculation.close()
  }
}
