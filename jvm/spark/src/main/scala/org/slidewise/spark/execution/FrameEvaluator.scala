package org.slidewise.spark.execution

import org.apache.spark.memory.SparkOutOfMemoryError
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

import org.slidewise.core.frames.{FrameAlgorithm, Recalculation, StatesOutgrown, TwoStacksFrames}
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

  private[this] val guards: Seq[(AggregateFunction, Option[Expression])] =
    plan.aggregates.flatMap(a => a.guard.map(guard => (guard, a.filter)))
  private[this] val guardOrdinals = guards.indices.map(firstGuard + _).toArray

  private[this] val recalculates = plan.algorithm == Algorithm.Recalculation

  private[this] val states =
    newStates(new FrameFunctions(functions ++ guards, ordinals ++ guardOrdinals, input, !recalculates))

  private[this] var algorithm = planned()
  private[this] var outOfMemory = false

  private def planned(): FrameAlgorithm =
    if (recalculates) new Recalculation(states) else new TwoStacksFrames(states)

  // As Spark does it, for frames in which a sum may have overflown.
  private[this] lazy val asSpark = newStates(
    new FrameFunctions(functions, ordinals, input, keepsStates = false)
  )
  private[this] lazy val recalculate = new Recalculation(asSpark)
  private[this] var askedSpark = false

  private[this] var lo, hi = -1L

  private def newStates(functions: FrameFunctions): RowStates =
    RowStates(functions, log.reader(), resources, maxStateBytes)

  override def evaluate(): Unit = if (bounds.lo != lo || bounds.hi != hi) {
    lo = bounds.lo
    hi = bounds.hi
    try {
      states.lower(slide(), results)
      if (exceeded) evaluateAsSpark()
    } catch {
      case _: ArithmeticException if guardOrdinals.nonEmpty =>
        algorithm.reset()
        evaluateAsSpark()
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

  private def exceeded: Boolean = {
    var i = 0
    while (i < guardOrdinals.length && !results.getBoolean(guardOrdinals(i))) i += 1
    i < guardOrdinals.length
  }

  private def evaluateAsSpark(): Unit = {
    askedSpark = true
    asSpark.lower(recalculate.slide(lo, hi), results)
  }

  override def reset(): Unit = {
    states.reset()
    if (outOfMemory) algorithm = planned()
    outOfMemory = false
    algorithm.reset()
    if (askedSpark) recalculate.reset()
    lo = -1
    hi = -1
  }

  override def combines: Long = states.combines + (if (askedSpark) asSpark.combines else 0L)
  override def peakMemory: Long = states.peakMemory + (if (askedSpark) asSpark.peakMemory else 0L)

  override def close(): Unit = {
    states.close()
    if (askedSpark) asSpark.close()
  }
}
