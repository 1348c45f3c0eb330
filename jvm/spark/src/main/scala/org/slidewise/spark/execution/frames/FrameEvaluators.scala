package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow

import org.slidewise.spark.execution.rows.PartitionRows
import org.slidewise.spark.execution.surroundings.{PartialAggregate, SurroundingStates}

/**
 * The evaluators of all frames of an operator.
 *
 * @param answers
 *   the row that the evaluators write to
 * @param statesOf
 *   prepares partial aggregates of surrounding rows for the evaluators; returns none if there are no such rows
 */
final private[execution] class FrameEvaluators(
    all: Array[FrameEvaluator],
    val answers: InternalRow,
    statesOf: PartialAggregate => Option[SurroundingStates] = _ => None
) {

  /** Writes the answers for the current frames. */
  def evaluate(): Unit = {
    var i = 0
    while (i < all.length) {
      all(i).evaluate()
      i += 1
    }
  }

  /** Begins a new partition. */
  def reset(): Unit = all.foreach(_.reset())

  /** Passes the aggregate of the partition's rows before the first row. */
  def startAfter(before: PartialAggregate): Unit =
    statesOf(before).foreach(rows => all.foreach(_.startAfter(rows)))

  /** Passes the aggregate of the partition's rows after the last row, which has arrived. */
  def endBefore(after: PartialAggregate): Unit =
    statesOf(after).foreach(rows => all.foreach(_.endBefore(rows)))

  /** See [[FrameEvaluator.mayReadAhead]]. */
  def mayReadAhead(partition: PartitionRows): Unit = all.foreach(_.mayReadAhead(partition))

  /** The oldest row that any of the evaluators may read. */
  def oldestNeeded: Long = {
    var oldest = Long.MaxValue
    var i = 0
    while (i < all.length) {
      oldest = math.min(oldest, all(i).oldestNeeded)
      i += 1
    }
    oldest
  }

  def combines: Long = all.map(_.combines).sum
  def recalculated: Long = all.map(_.recalculated).sum
  def sortedPartitions: Long = all.map(_.sortedPartitions).sum
  def peakMemory: Long = all.map(_.peakMemory).sum
  def spilledBytes: Long = all.map(_.spilledBytes).sum

  /** Gives all memory back. */
  def close(): Unit = all.foreach(_.close())
}
