package org.slidewise.spark.execution.parallel

import scala.collection.AbstractIterator

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.vectorized.ColumnarBatch

import org.slidewise.spark.execution.{WholeTableEvaluation, WindowEvaluation}
import org.slidewise.spark.execution.surroundings.{PartialAggregate, SurroundingRows}
import org.slidewise.spark.execution.task.{WindowMetrics, WindowTask}
import org.slidewise.spark.plan.SlidingWindowPlan

/**
 * Evaluates the rows of one task.
 *
 * @param all
 *   evaluates whole partitions
 * @param range
 *   evaluates a range of rows; rows that tie stay in the order in which they come
 * @param wholeTable
 *   evaluates rows whose frame is the whole table
 */
final private[parallel] class RangeEvaluation private (
    all: WindowEvaluation,
    range: WindowEvaluation,
    wholeTable: WholeTableEvaluation,
    metrics: Map[String, SQLMetric]
) extends Serializable {

  /** The results of whole partitions. */
  def ofAll(rows: Iterator[InternalRow]): Iterator[InternalRow] =
    if (rows.isEmpty) Iterator.empty else all.evaluate(rows, newTask())

  /** The results of some rows of a table in no order, whose aggregate is `total`. */
  def ofWholeTable(rows: Iterator[InternalRow], total: PartialAggregate): Iterator[InternalRow] =
    if (rows.isEmpty) Iterator.empty
    else {
      WindowMetrics.timeTask(metrics)
      wholeTable.evaluate(rows, newTask(), total)
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

  /** The results of the range's own rows, without those of its halos. */
  def ofRange(rows: RangeRows, surroundings: () => SurroundingRows): Iterator[InternalRow] =
    if (rows.isEmpty) Iterator.empty
    else {
      WindowMetrics.timeTask(metrics)
      def first = rows.rowsIn(1)
      def own = rows.rowsIn(2)
      val results = range.evaluate(
        rows,
        newTask(),
        () => surroundings().copy(firstResult = first, untilResult = first + own)
      )
      metrics(WindowMetrics.HaloRows) += rows.haloRows
      new OwnRows(results, first, own)
    }

  private def newTask() = new WindowTask(TaskContext.get(), metrics)
}

private[parallel] object RangeEvaluation {
  def of(
      plan: SlidingWindowPlan,
      input: Seq[Attribute],
      metrics: Map[String, SQLMetric]
  ): RangeEvaluation =
    new RangeEvaluation(
      WindowEvaluation.of(plan, input, sorts = true),
      // Spark's radix sort orders ties by all rows that it sorts, which differ from task to task.
      WindowEvaluation.of(plan, input, sorts = true, keepsTies = true),
      new WholeTableEvaluation(plan, input),
      metrics
    )
}

/** The `own` results that follow the first `others`. */
final private class OwnRows(results: Iterator[InternalRow], others: Long, own: Long)
    extends AbstractIterator[InternalRow] {
  private[this] var left = own
  private[this] var begun = false

  override def hasNext: Boolean = {
    if (!begun) {
      begun = true
      var passed = 0L
      while (passed < others) {
        results.next()
        passed += 1
      }
    }
    left > 0
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("there are no more rows")
    left -= 1
    results.next()
  }
}
