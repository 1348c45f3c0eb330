package org.slidewise.spark.execution

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

import org.slidewise.core.frames.{RecalculationFrames => Recalculation}
import org.slidewise.spark.planning.PlannedAggregate

/** The guards of a frame's functions: whether a sum may have overflown that Spark would have found otherwise. */
final private[execution] class OverflowGuards(
    aggregates: Seq[PlannedAggregate],
    firstGuard: Int,
    results: InternalRow
) {
  val functions: Seq[(AggregateFunction, Option[Expression])] =
    aggregates.flatMap(a => a.guard.map(guard => (guard, a.filter)))

  /** For each guard, its place in `results`. */
  val ordinals: Seq[Int] = functions.indices.map(firstGuard + _)

  private[this] val places = ordinals.toArray

  def nonEmpty: Boolean = places.length > 0

  /** Whether one of them says so of the frame that has been answered last. */
  def exceeded: Boolean = {
    var i = 0
    while (i < places.length && !results.getBoolean(places(i))) i += 1
    i < places.length
  }
}

/**
 * Answers a frame's functions from its rows, one after the other, as Spark does: the same answers to the last bit, and the same
 * errors. n combines for a frame of n rows, and one state, which is made when it is first needed.
 */
final private[execution] class AnswersAsSpark(
    aggregates: Seq[PlannedAggregate],
    input: Seq[Attribute],
    rows: => RowsByPosition,
    resources: TaskResources,
    maxStateBytes: Long,
    results: InternalRow
) {
  private[this] lazy val states = {
    val functions =
      new FrameFunctions(
        aggregates.map(a => (a.function, a.filter)),
        aggregates.map(_.result),
        input,
        keepsStates = false
      )
    RowStates(functions, rows, resources, maxStateBytes)
  }
  private[this] lazy val recalculation = new Recalculation(states)
  private[this] var used = false

  /** Writes the answers for the rows from `lo` to before `hi`. */
  def evaluate(lo: Long, hi: Long): Unit = {
    used = true
    states.lower(recalculation.slide(lo, hi), results)
  }

  def reset(): Unit = if (used) recalculation.reset()
  def combines: Long = if (used) states.combines else 0L
  def peakMemory: Long = if (used) states.peakMemory else 0L
  def close(): Unit = if (used) states.close()
}
