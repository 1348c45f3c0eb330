package org.slidewise.spark.execution.parallel

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.vectorized.ColumnarBatch

import org.slidewise.spark.execution.{SortedArrayEvaluation, WholeTableEvaluation, WindowEvaluation}
import org.slidewise.spark.execution.columns.RowBatches
import org.slidewise.spark.execution.rows.RowsBetween
import org.slidewise.spark.execution.surroundings.{PartialAggregate, SurroundingRows}
import org.slidewise.spark.execution.task.{WindowMetrics, WindowTask}
import org.slidewise.spark.plan.SlidingWindowPlan

/**
 * Evaluates the rows of one task.
 *
 * @tparam T
 *   what it hands out: rows or batches
 */
sealed abstract private[parallel] class RangeEvaluation[T](metrics: Map[String, SQLMetric])
    extends Serializable {

  /** The results of whole partitions. */
  final def ofAll(rows: Iterator[InternalRow]): Iterator[T] =
    if (rows.isEmpty) Iterator.empty else evaluateAll(rows, newTask())

  /** The results of some rows of a table in no order, whose aggregate is `total`. */
  final def ofWholeTable(rows: Iterator[InternalRow], total: PartialAggregate): Iterator[T] =
    if (rows.isEmpty) Iterator.empty
    else {
      WindowMetrics.timeTask(metrics)
      evaluateWholeTable(rows, newTask(), total)
    }

  /** The results of the range's own rows, without those of its halos. Rows that tie stay in the order in which they come. */
  final def ofRange(rows: RangeRows, surroundings: () => SurroundingRows): Iterator[T] =
    if (rows.isEmpty) Iterator.empty
    else {
      WindowMetrics.timeTask(metrics)
      def first = rows.rowsIn(1)
      def own = rows.rowsIn(2)
      val results = evaluateOwn(
        rows,
        newTask(),
        () => surroundings().copy(firstResult = first, untilResult = first + own)
      )
      metrics(WindowMetrics.HaloRows) += rows.haloRows
      results
    }

  protected def evaluateAll(rows: Iterator[InternalRow], task: WindowTask): Iterator[T]

  protected def evaluateWholeTable(
      rows: Iterator[InternalRow],
      task: WindowTask,
      total: PartialAggregate
  ): Iterator[T]

  /**
   * Evaluates rows, and returns those that are handed out.
   *
   * @param around
   *   the surroundings, which are known once all rows have been read
   */
  protected def evaluateOwn(
      rows: RangeRows,
      task: WindowTask,
      around: () => SurroundingRows
  ): Iterator[T]

  final protected def ownRows(
      evaluation: WindowEvaluation,
      rows: RangeRows,
      task: WindowTask,
      around: () => SurroundingRows
  ): Iterator[InternalRow] = {
    val results = evaluation.evaluate(rows, task, around)
    val own = around()
    new RowsBetween(results, own.firstResult, own.untilResult)
  }

  final protected def newTask() = new WindowTask(TaskContext.get(), metrics)
}

/** Hands out rows. */
final private[parallel] class RowEvaluation(
    plan: SlidingWindowPlan,
    input: Seq[Attribute],
    metrics: Map[String, SQLMetric]
) extends RangeEvaluation[InternalRow](metrics) {
  private val all = WindowEvaluation.of(plan, input, sorts = true)
  // Spark's radix sort orders ties by all rows that it sorts, which differ from task to task.
  private val range = WindowEvaluation.of(plan, input, sorts = true, keepsTies = true)
  private val wholeTable = new WholeTableEvaluation(plan, input)

  override protected def evaluateAll(rows: Iterator[InternalRow], task: WindowTask): Iterator[InternalRow] =
    all.evaluate(rows, task)

  override protected def evaluateWholeTable(
      rows: Iterator[InternalRow],
      task: WindowTask,
      total: PartialAggregate
  ): Iterator[InternalRow] = wholeTable.evaluate(rows, task, total)

  override protected def evaluateOwn(
      rows: RangeRows,
      task: WindowTask,
      around: () => SurroundingRows
  ): Iterator[InternalRow] = ownRows(range, rows, task, around)
}

/** Hands out batches, which are made of rows where arrays do not evaluate all functions. */
final private[parallel] class BatchEvaluation(
    plan: SlidingWindowPlan,
    input: Seq[Attribute],
    metrics: Map[String, SQLMetric]
) extends RangeEvaluation[ColumnarBatch](metrics) {
  private val all = WindowEvaluation.of(plan, input, sorts = true)
  private val range = WindowEvaluation.of(plan, input, sorts = true, keepsTies = true)
  private val wholeTable = new WholeTableEvaluation(plan, input)
  private val types = input.map(_.dataType) ++ wholeTable.types

  override protected def evaluateAll(rows: Iterator[InternalRow], task: WindowTask): Iterator[ColumnarBatch] =
    all match {
      case inArrays: SortedArrayEvaluation => inArrays.evaluateBatches(rows, task)
      case others                          => new RowBatches(others.evaluate(rows, task), types)
    }

  override protected def evaluateWholeTable(
      rows: Iterator[InternalRow],
      task: WindowTask,
      total: PartialAggregate
  ): Iterator[ColumnarBatch] = new RowBatches(wholeTable.evaluate(rows, task, total), types)

  override protected def evaluateOwn(
      rows: RangeRows,
      task: WindowTask,
      around: () => SurroundingRows
  ): Iterator[ColumnarBatch] = range match {
    case inArrays: SortedArrayEvaluation => inArrays.evaluateBatches(rows, task, around)
    case others                          => new RowBatches(ownRows(others, rows, task, around), types)
  }

  /** The results of some batches of a table in no order, whose aggregate is `total`. */
  def ofBatches(batches: Iterator[ColumnarBatch], total: PartialAggregate): Iterator[ColumnarBatch] =
    if (batches.isEmpty) Iterator.empty
    else {
      WindowMetrics.timeTask(metrics)
      val task = newTask()
      new WholeTableBatches(
        batches,
        wholeTable.results(task, total),
        wholeTable.types,
        total.rows,
        task.measures
      )
    }
}
