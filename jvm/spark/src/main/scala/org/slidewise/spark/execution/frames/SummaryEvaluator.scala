package org.slidewise.spark.execution.frames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import org.slidewise.spark.execution.rows.RowsByPosition
import org.slidewise.spark.execution.task.{HeapMemory, TaskResources}
import org.slidewise.spark.expressions.{RowSummary, SummarizesLastRows}
import org.slidewise.spark.plan.FramePlan

/**
 * Summaries of the last W rows, one for each function of a frame. O(1) for each row. A summary takes from a few hundred bytes to
 * a few megabytes, which are charged to the task. If the charge fails, the task continues, because the memory is bounded.
 */
final private[execution] class FrameSummaries(
    plan: FramePlan,
    input: Seq[Attribute],
    resources: TaskResources,
    answers: InternalRow
) {
  private[this] val memory = new HeapMemory(resources)
  private[this] val functions = plan.aggregates.flatMap(_.description.summary)
  private[this] val ordinals = plan.aggregates.map(_.answer).toArray
  private[this] val window = plan.frame.lastRows.get
  private[this] val inserted =
    SummarizesLastRows.inserted(plan.aggregates.map(_.filter).zip(functions), input)
  private[this] var summaries = Array.empty[RowSummary]

  /** Inserts the row and writes the answers for the frame that ends with it. */
  def evaluate(row: InternalRow): Unit = {
    val values = inserted(row)
    var i = 0
    while (i < summaries.length) {
      summaries(i).insert(values, i)
      answers.setDouble(ordinals(i), summaries(i).estimate)
      i += 1
    }
  }

  /** Starts with empty summaries. */
  def reset(): Unit = use(functions.map(_.summaryOf(window)))

  private def use(made: Seq[RowSummary]): Unit = {
    summaries = made.toArray
    val more = made.map(_.heapBytes).sum - memory.getUsed
    if (more > 0) memory.acquire(more)
  }

  def peakMemory: Long = memory.peakHeapMemory

  /** Gives all memory back. */
  def close(): Unit = {
    summaries = Array.empty
    memory.releaseAll()
  }

  def serialized: Seq[Array[Byte]] = summaries.toSeq.map(_.toBytes)

  /**
   * Restores the summaries from [[serialized]].
   *
   * @param next
   *   returns the bytes of one summary after the other
   */
  def deserialize(next: () => Array[Byte]): Unit = use(functions.map(_.summaryFrom(next())))
}

/**
 * Evaluates functions of the last W rows from summaries: each row is inserted once, when it is the current row, and never read
 * again.
 *
 * @param current
 *   bounds of frames of the current row alone
 */
final private[execution] class SummaryEvaluator(
    plan: FramePlan,
    current: FrameBounds,
    input: Seq[Attribute],
    rows: RowsByPosition,
    resources: TaskResources,
    answers: InternalRow
) extends FrameEvaluator {
  private[this] val summaries = new FrameSummaries(plan, input, resources, answers)

  override def evaluate(): Unit = summaries.evaluate(rows(current.lo))
  override def reset(): Unit = summaries.reset()
  override def oldestNeeded: Long = current.lo
  override def combines: Long = 0L
  override def peakMemory: Long = summaries.peakMemory
  override def close(): Unit = summaries.close()
}
