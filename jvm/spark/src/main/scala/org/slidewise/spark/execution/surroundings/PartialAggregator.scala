package org.slidewise.spark.execution.surroundings

import scala.util.control.NonFatal

import org.apache.spark.TaskKilledException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import org.slidewise.spark.execution.states.FrameFunctions

/**
 * Aggregates rows for tasks that do not read these rows. Memory: one aggregation buffer for each function.
 *
 * @param functions
 *   the aggregate functions; none if only rows are counted
 * @param peers
 *   finds the groups of rows that tie; none if groups are not counted
 */
final private[spark] class PartialAggregator private[surroundings] (
    functions: Option[FrameFunctions],
    peers: Option[PeerChanges],
    encode: InternalRow => Array[Byte]
) {
  private[this] val aggregated = functions.orNull
  private[this] val changes = peers.orNull
  private[this] val state = if (aggregated == null) null else aggregated.newState()
  private[this] var rows, peerGroups = 0L
  private[this] var failed = false

  /** Adds an unsafe row of the partition. The row is not kept. */
  def add(row: InternalRow): Unit = {
    rows += 1
    if (changes != null && changes.isChange(row.asInstanceOf[UnsafeRow])) peerGroups += 1
    if (aggregated != null && !failed)
      try aggregated.update(state, row)
      catch {
        case killed: TaskKilledException => throw killed
        case NonFatal(_) => failed = true // the evaluation in one task reports it, if Spark does
      }
  }

  /** The aggregate of the rows so far. */
  def result(): PartialAggregate =
    if (failed) PartialAggregate(rows, peerGroups, failed = true)
    else PartialAggregate(rows, peerGroups, if (aggregated == null || rows == 0L) null else encode(state))
}

/**
 * Combines aggregates of rows. Memory: one aggregation buffer for each function.
 *
 * @param merge
 *   merges the second state, which is of newer rows, into the first
 */
final private[spark] class PartialAggregateMerger private[surroundings] (
    decode: Array[Byte] => InternalRow,
    merge: (InternalRow, InternalRow) => Unit,
    encode: InternalRow => Array[Byte]
) {
  private[this] var state: InternalRow = _
  private[this] var rows, peerGroups = 0L
  private[this] var failed = false

  /** Adds the aggregate of newer rows. */
  def add(newer: PartialAggregate): this.type = {
    rows += newer.rows
    peerGroups += newer.peerGroups
    failed ||= newer.failed
    if (!failed && newer.states != null)
      try if (state == null) state = decode(newer.states) else merge(state, decode(newer.states))
      catch {
        case killed: TaskKilledException => throw killed
        case NonFatal(_)                 => failed = true
      }
    this
  }

  /** The aggregate of all rows so far. */
  def result(): PartialAggregate =
    if (failed) PartialAggregate(rows, peerGroups, failed = true)
    else PartialAggregate(rows, peerGroups, if (state == null) null else encode(state))
}
