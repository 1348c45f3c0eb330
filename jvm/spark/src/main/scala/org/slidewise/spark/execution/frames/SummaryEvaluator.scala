package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.rows.RowLog
import org.slidewise.spark.expressions.{RowSummary, SummarizesLastRows}
import org.slidewise.spark.planning.{FramePlan, SummaryFrame}

/**
 * Answers functions of the last W rows from summaries of theirs: each row is inserted once, when it is the current row, and
 * never read again. O(1) a row; the summaries are all that is kept, a few hundred bytes a function and at most some megabytes.
 *
 * @param current
 *   bounds of frames of the current row alone
 */
final private[execution] class SummaryEvaluator(
    plan: FramePlan,
    current: FrameBounds,
    input: Seq[Attribute],
    log: RowLog,
    results: InternalRow
) extends FrameAnswers {
  private[this] val functions = plan.aggregates.map(_.function.asInstanceOf[SummarizesLastRows])
  private[this] val ordinals = plan.aggregates.map(_.result).toArray
  private[this] val window = SummaryFrame.lastRows(plan.frame).get
  private[this] val rows = log.reader()

  private[this] val inserted =
    SummarizesLastRows.inserted(plan.aggregates.map(_.filter).zip(functions), input)

  private[this] var summaries = Array.empty[RowSummary]

  override def evaluate(): Unit = {
    val row = inserted(rows(current.lo))
    var i = 0
    while (i < summaries.length) {
      summaries(i).insert(row, i)
      results.setDouble(ordinals(i), summaries(i).estimate)
      i += 1
    }
  }

  override def reset(): Unit = summaries = functions.map(_.summaryOf(window)).toArray

  override def combines: Long = 0L
  override def peakMemory: Long = summaries.iterator.map(_.bits / 8 + 1).sum
  override def close(): Unit = ()
}
