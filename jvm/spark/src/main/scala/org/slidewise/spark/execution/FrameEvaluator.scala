package org.slidewise.spark.execution

import org.apache.spark.memory.SparkOutOfMemoryError
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute

import org.slidewise.core.frames.{FrameAlgorithm, RecalculationFrames => Recalculation, StatesOutgrown, TwoStacksFrames}
import org.slidewise.spark.planning.{Algorithm, FramePlan}

/**
 * Answers the functions of one [[FramePlan]] for one frame after the other.
 *
 * @param bounds
 *   where the frames are
 * @param results
 *   the row that the answers go into; it has a field for each window expression and, from `firstGuard`, one for each
 *   of this plan's guards
 */
final private[execution] class FrameEvaluator(
    plan: FramePlan,
    val bounds: FrameBounds,
    input: Seq[Attribute],
    log: RowLog,
    resources: TaskResources,
    maxStateBytes: Long,
    results: InternalRow,
    firstGuard: Int
) extends FrameAnswers {
  private[this] val functions = plan.aggregates.map(a => (a.function, a.filter))
  private[this] val ordinals = plan.aggregates.map(_.result)

  private[this] val guards = new OverflowGuards(plan.aggregates, firstGuard, results)
  private[this] val recalculates = plan.algorithm == Algorithm.Recalculation

  private[this] val states =
    RowStates(
      new FrameFunctions(functions ++ guards.functions, ordinals ++ guards.ordinals, input, !recalculates),
      log.reader(),
      resources,
      maxStateBytes
    )

  private[this] var algorithm = planned()
  private[this] var outOfMemory = false

  private def planned(): FrameAlgorithm =
    if (recalculates) new Recalculation(states) else new TwoStacksFrames(states)

  private[this] val asSpark =
    new AnswersAsSpark(plan.aggregates, input, log.reader(), resources, maxStateBytes, results)

  private[this] var lo, hi = -1L

  override def evaluate(): Unit = if (bounds.lo != lo || bounds.hi != hi) {
    lo = bounds.lo
    hi = bounds.hi
    try {
      states.lower(slide(), results)
      if (guards.exceeded) asSpark.evaluate(lo, hi)
    } catch {
      case _: ArithmeticException if guards.nonEmpty =>
        algorithm.reset()
        asSpark.evaluate(lo, hi)
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
        // Not even √n states. Spark would need one.
        outOfMemory = true
        states.close()
        algorithm = new Recalculation(states)
        algorithm.slide(lo, hi)
    }

  override def reset(): Unit = {
    states.reset()
    if (outOfMemory) algorithm = planned()
    outOfMemory = false
    algorithm.reset()
    asSpark.reset()
    lo = -1
    hi = -1
  }

  override def combines: Long = states.combines + asSpark.combines
  override def peakMemory: Long = states.peakMemory + asSpark.peakMemory

  override def close(): Unit = {
    states.close()
    asSpark.close()
  }
}
