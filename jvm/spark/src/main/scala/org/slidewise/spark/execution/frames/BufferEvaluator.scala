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
  private[this] var recalculates = plan.method == EvaluationMethod.Recalculation
  private[this] var afterFailure = 0L
  private[this] val states =
    RowStates(
      new FrameFunctions(
        functions ++ guards.functions,
        ordinals ++ guards.ordinals,
        input,
        keepsStates = !recalculates,
        mergeMayFail = plan.aggregates.exists(_.isForeign)
      ),
      log.reader(),
      resources,
      maxStateBytes
    )
  private[this] var algorithm = planned()
  private[this] var outOfMemory, mergeHasFailed = false

  private def planned(): FrameAlgorithm =
    if (recalculates) new RecalculationFrames(states) else new TwoStacksFrames(states)

  private[this] val recalculation =
    new FrameRecalculation(plan.aggregates, input, log.reader(), resources, maxStateBytes, answers)

  private[this] var lo, hi = -1L

  override def evaluate(): Unit = if (bounds.lo != lo || bounds.hi != hi) {
    lo = bounds.lo
    hi = bounds.hi
    try {
      states.lower(slide(), answers)
      if (mergeHasFailed) afterFailure += 1
      if (guards.exceeded) recalculation.evaluate(lo, hi)
    } catch {
      case _: ArithmeticException if guards.nonEmpty =>
        algorithm.reset()
        recalculation.evaluate(lo, hi)
    }
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
      case _: SparkOutOfMemoryError if !outOfMemory && !recalculates =>
        // Not even √n buffers. Spark would need one.
        outOfMemory = true
        recalculate()
      case failed: MergeFailed =>
        logWarning(
          s"${MergeFailed.Advice} (${functions.map(_._1.prettyName).distinct.mkString(", ")})",
          failed
        )
        mergeHasFailed = true
        recalculates = true
        recalculate()
    }

  private def recalculate(): Int = {
    states.close()
    algorithm = new RecalculationFrames(states)
    algorithm.slide(lo, hi)
  }

  override def reset(): Unit = {
    states.reset()
    if (outOfMemory) algorithm = planned()
    outOfMemory = false
    algorithm.reset()
    recalculation.reset()
    lo = -1
    hi = -1
  }

  override def combines: Long = states.combines + recalculation.combines
  override def recalculated: Long = recalculation.frames + afterFailure
  override def peakMemory: Long = states.peakMemory + recalculation.peakMemory
  override def close(): Unit = {
    states.close()
    recalculation.close()
  }
}
