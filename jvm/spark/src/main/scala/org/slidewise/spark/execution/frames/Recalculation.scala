package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

import org.slidewise.core.frames.RecalculationFrames
import org.slidewise.spark.execution.rows.RowsByPosition
import org.slidewise.spark.execution.states.{FrameFunctions, RowStates}
import org.slidewise.spark.execution.task.TaskResources
import org.slidewise.spark.plan.PlannedAggregate

/**
 * The guards of a frame's functions: whether a frame must be recalculated.
 *
 * @param firstGuard
 *   the ordinal of the first guard in `answers`
 */
final private[execution] class FrameGuards(
    aggregates: Seq[PlannedAggregate],
    firstGuard: Int,
    answers: InternalRow
) {
  val functions: Seq[(AggregateFunction, Option[Expression])] =
    aggregates.flatMap(a => a.guard.map(guard => (guard, a.filter)))

  /** For each guard, its ordinal in `answers`. */
  val ordinals: Seq[Int] = functions.indices.map(firstGuard + _)

  private[this] val places = ordinals.toArray

  def nonEmpty: Boolean = places.length > 0

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
    input: Seq[Attribute],
    rows: => RowsByPosition,
    resources: TaskResources,
    maxStateBytes: Long,
    answers: InternalRow
) {
  private[this] lazy val states = {
    val functions =
      new FrameFunctions(
        aggregates.map(a => (a.function, a.filter)),
        aggregates.map(_.answer),
        input,
        keepsStates = false
      )
    RowStates(functions, rows, resources, maxStateBytes)
  }
  private[this] lazy val recalculation = new RecalculationFrames(states)
  private[this] var evaluated = 0L

  /** Writes the answers for the rows from `lo` to before `hi`. */
  def evaluate(lo: Long, hi: Long): Unit = {
    evaluated += 1
    states.lower(recalculation.slide(lo, hi), answers)
  }

  /** The number of frames evaluated. */
  def frames: Long = evaluated

  def reset(): Unit = if (evaluated > 0) recalculation.reset()
  def combines: Long = if (evaluated > 0) states.combines else 0L
  def peakMemory: Long = if (evaluated > 0) states.peakMemory else 0L
  def close(): Unit = if (evaluated > 0) states.close()
}
