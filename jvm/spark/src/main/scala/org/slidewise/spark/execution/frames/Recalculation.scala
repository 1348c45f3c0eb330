package org.slidewise.spark.execution.frames

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.InternalRow

import org.slidewise.core.frames.RecalculationFrames
import org.slidewise.spark.execution.states.{FrameElements, FrameFunctions, MergeFailed, RowStates}
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.plan.{AggregateCall, PlannedAggregate}

/**
 * The guards of a frame's functions, which decide whether a frame must be recalculated.
 *
 * @param firstGuard
 *   the ordinal of the first guard in `answers`
 */
final private[execution] class FrameGuards(
    aggregates: Seq[PlannedAggregate],
    firstGuard: Int,
    answers: InternalRow
) {
  val calls: Seq[AggregateCall] = aggregates.flatMap(_.guard)

  /** For each guard, its ordinal in `answers`. */
  val ordinals: Seq[Int] = calls.indices.map(firstGuard + _)

  private[this] val places = ordinals.toArray

  /** Whether a guard is true for the frame that has been evaluated last. */
  def exceeded: Boolean = {
    var i = 0
    while (i < places.length && !answers.getBoolean(places(i))) i += 1
    i < places.length
  }
}

/**
 * Evaluates a frame's functions from its rows, one after the other, as Spark does: the same results to the last bit, and the same
 * errors. n combines for a frame of n rows; one aggregation buffer, made when it is first needed.
 */
final private[execution] class FrameRecalculation(
    aggregates: Seq[PlannedAggregate],
    elements: FrameElements,
    resources: TaskResources,
    maxStateBytes: Long,
    answers: InternalRow
) {
  private[this] lazy val states = {
    val functions =
      new FrameFunctions(
        aggregates.map(_.call),
        aggregates.map(_.answer),
        elements.attributes,
        keepsStates = false,
        kind = elements.kind
      )
    RowStates(functions, elements.newReader(), resources, maxStateBytes)
  }
  private[this] lazy val recalculation = new RecalculationFrames(states)
  private[this] var evaluated = 0L

  /** Writes the answers for the rows from `lo` to before `hi`. */
  def evaluate(lo: Long, hi: Long): Unit = {
    evaluated += 1
    states.lower(recalculation.slide(lo, hi), answers)
  }

  /** Writes the answers for the rows from `lo` to before `hi`, each of which counts `times` times. */
  def evaluate(lo: Long, hi: Long, times: Long): Unit = {
    evaluated += 1
    states.reserve(1)
    states.clear(0)
    for (_ <- 1L to times) {
      resources.stopIfCancelled()
      states.accumulate(0, lo, hi)
    }
    states.lower(0, answers)
    recalculation.reset()
  }

  /** The number of frames evaluated. */
  def frames: Long = evaluated

  def reset(): Unit = if (evaluated > 0) recalculation.reset()
  def combines: Long = if (evaluated > 0) states.combines else 0L
  def peakMemory: Long = if (evaluated > 0) states.peakMemory else 0L
  def close(): Unit = if (evaluated > 0) states.close()
}

/**
 * Evaluates frames from merged buffers, and recalculates the frames whose merged result could differ from Spark's: frames that a
 * guard reports, frames whose merge overflows and, after the `merge` of a user's function has failed, all frames. Logs the
 * failure.
 */
abstract private[execution] class MergedEvaluation(
    aggregates: Seq[PlannedAggregate],
    guards: FrameGuards,
    recalculation: FrameRecalculation
) extends Logging {
  private[this] var failed = false

  /** Whether a merge has failed, so that every frame is recalculated. */
  final def hasFailed: Boolean = failed

  /** Writes the answers for the rows from `lo` to before `hi`, from merged buffers. */
  protected def merge(lo: Long, hi: Long): Unit

  /** Drops the merged buffers, which an error has left incomplete. */
  protected def drop(): Unit

  /**
   * Whether recalculation is possible and useful: all rows of the frames are available, and merged buffers may lead to another
   * result than Spark's.
   */
  protected def canRecalculate: Boolean = true

  /** Writes the answers for the rows from `lo` to before `hi`. */
  final def evaluate(lo: Long, hi: Long): Unit =
    if (failed) recalculation.evaluate(lo, hi)
    else
      try {
        merge(lo, hi)
        if (canRecalculate && guards.exceeded) recalculation.evaluate(lo, hi)
      } catch {
        case _: ArithmeticException if canRecalculate => dropAndRecalculate(lo, hi)
        case failure: MergeFailed if canRecalculate   =>
          val names = aggregates.map(_.function.prettyName).distinct.mkString(", ")
          logWarning(s"${MergeFailed.Advice} ($names)", failure)
          failed = true
          dropAndRecalculate(lo, hi)
      }

  private def dropAndRecalculate(lo: Long, hi: Long): Unit = {
    drop()
    recalculation.evaluate(lo, hi)
  }
}
