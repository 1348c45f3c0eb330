package org.slidewise.spark.execution.streams

import java.nio.ByteBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.rows.RowsByPosition
import org.slidewise.spark.expressions.{RowSummary, SummarizesLastRows}
import org.slidewise.spark.planning.PlannedAggregate

/**
 * Answers functions of the last `window` rows from summaries of theirs, which are all that is kept: a few hundred bytes a key.
 *
 * @param bounds
 *   of frames of the current row alone
 */
final private[streams] class StreamSummaryEvaluator(
    aggregates: Seq[PlannedAggregate],
    window: Long,
    override val bounds: StreamBounds,
    input: Seq[Attribute],
    rows: RowsByPosition,
    results: InternalRow
) extends StreamFrameAnswers {
  private[this] val functions = aggregates.map(_.function.asInstanceOf[SummarizesLastRows])
  private[this] val ordinals = aggregates.map(_.result).toArray
  private[this] val inserted = SummarizesLastRows.inserted(aggregates.map(_.filter).zip(functions), input)
  private[this] var summaries = Array.empty[RowSummary]

  override def needs: Long = bounds.lo

  override def evaluate(): Unit = {
    val row = inserted(rows(bounds.lo))
    var i = 0
    while (i < summaries.length) {
      summaries(i).insert(row, i)
      results.setDouble(ordinals(i), summaries(i).estimate)
      i += 1
    }
  }

  override def combines: Long = 0L

  override def reset(): Unit = {
    bounds.moveTo(0L, 0L)
    summaries = functions.map(_.summaryOf(window)).toArray
  }

  override def drop(): Unit = ()

  override def writeTo(out: StateWriter): Unit = {
    bounds.writeTo(out)
    summaries.foreach(summary => out.bytes(summary.toBytes))
  }

  override def reopen(in: ByteBuffer): Unit = {
    bounds.reopen(in)
    summaries = functions.map(_.summaryFrom(StateWriter.readBytes(in))).toArray
  }

  override def close(): Unit = ()
}
