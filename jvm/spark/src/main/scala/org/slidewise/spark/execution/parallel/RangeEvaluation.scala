package org.slidewise.spark.execution.parallel

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.vectorized.ColumnarBatch

import org.slidewise.spark.execution.WindowEvaluation
import org.slidewise.spark.execution.columns.RowBatches
import org.slidewise.spark.execution.rows.RowsBetween
import org.slidewise.spark.execution.surroundings.SurroundingRows
import org.slidewise.spark.execution.task.{WindowMetrics, WindowTask}
import org.slidewise.spark.plan.SlidingWindowPlan

/**
 * Evaluates the rows of one task.
 *
 * @tparam T
 *   the type of the results: rows or batches
 */
sealed abstract private[parallel] class RangeEvaluation[T](
    plan: SlidingWindowPlan,
    input: Seq[Attribute],
    metrics: Map[String, SQLMetric]
) extends Serializable {
  private val all = WindowEvaluation.of(plan, input, sorts = true)
  // The order in which Spark's radix sort leaves ties depends on all sorted rows, which differ from task to task.
  private val range = WindowEvaluation.of(plan, input, sorts = true, keepsTies = true)

  /** The results of whole partitions. */
  final def ofAll(rows: Iterator[InternalRow]): Iterator[T] =
    if (rows.isEmpty) Iterator.empty else evaluate(all, rows, newTask(), () => SurroundingRows.None)

  /** The results of rows whose frames are whole, unordered partitions with the aggregates `totals`. */
  final def ofPartitions(rows: Iterator[InternalRow], totals: TableTotals): Iterator[T] =
    if (rows.isEmpty) Iterator.empty
    else {
      WindowMetrics.timeTask(metrics)
      handedOut(new ResultsByKey(plan, input, totals, newTask()).rows(rows))
    }

  /** The results of the range's own rows, without the rows of its halos. Ties keep the order of arrival. */
  final def ofRange(rows: RangeRows, surroundings: () => SurroundingRows): Iterator[T] =
    if (rows.isEmpty) Iterator.empty
    else {
      WindowMetrics.timeTask(metrics)
      def first = rows.rowsIn(1)
      def own = rows.rowsIn(2)
      val results = evaluate(
        range,
        rows,
        newTask(),
        () => surroundings().copy(firstResult = first, untilResult = first + own)
      )
      metrics(WindowMetrics.HaloRows) += rows.haloRows
      results
    }

  /**
   * Evaluates rows, and returns only the rows whose results are handed out.
   *
   * @param around
   *   the surroundings, which are known once all rows have been read
   */
  protected def evaluate(
      evaluation: WindowEvaluation,
      rows: Iterator[InternalRow],
      task: WindowTask,
      around: () => SurroundingRows
  ): Iterator[T]

  /** Converts rows to the type of the results. */
  protected def handedOut(rows: Iterator[InternalRow]): Iterator[T]

  final protected def newTask() = new WindowTask(TaskContext.get(), metrics)
}

/** Returns rows. */
final private[parallel] class RowEvaluation(
    plan: SlidingWindowPlan,
    input: Seq[Attribute],
    metrics: Map[String, SQLMetric]
) extends RangeEvaluation[InternalRow](plan, input, metrics) {

  override protected def evaluate(
      evaluation: WindowEvaluation,
      rows: Iterator[InternalRow],
      task: WindowTask,
      around: () => SurroundingRows
  ): Iterator[InternalRow] = {
    val results = evaluation.evaluate(rows, task, around)
    val own = around()
    new RowsBetween(results, own.firstResult, own.untilResult)
  }

  override protected def handedOut(rows: Iterator[InternalRow]): Iterator[InternalRow] = rows
}

/** Returns batches. */
final private[parallel] class BatchEvaluation(
    plan: SlidingWindowPlan,
    input: Seq[Attribute],
    metrics: Map[String, SQLMetric]
) extends RangeEvaluation[ColumnarBatch](plan, input, metrics) {
  private val types = (input ++ plan.expressions.map(_.expression.toAttribute)).map(_.dataType)

  override protected def evaluate(
      evaluation: WindowEvaluation,
      rows: Iterator[InternalRow],
      task: WindowTask,
      around: () => SurroundingRows
  ): Iterator[ColumnarBatch] = evaluation.evaluateBatches(rows, task, types, around)

  override protected def handedOut(rows: Iterator[InternalRow]): Iterator[ColumnarBatch] =
    new RowBatches(rows, types)
}
