package org.slidewise.spark.execution.parallel

import scala.collection.AbstractIterator

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetric

import org.slidewise.spark.execution.surroundings.{PartialAggregate, SurroundingRows}
import org.slidewise.spark.execution.task.{WindowMetrics, WindowTask}

/**
 * Evaluates the rows of one task.
 *
 * @param evaluate
 *   computes the results of all rows, in order, given their surroundings, which are asked for when all rows have been read
 * @param evaluateRange
 *   the same, but rows that tie must stay in the order in which they come
 * @param evaluateWholeTable
 *   computes the results of rows whose frame is the whole table, given its aggregate
 */
final private[execution] class RangeEvaluation(
    evaluate: (Iterator[InternalRow], WindowTask, () => SurroundingRows) => Iterator[InternalRow],
    evaluateRange: (Iterator[InternalRow], WindowTask, () => SurroundingRows) => Iterator[InternalRow],
    evaluateWholeTable: (Iterator[InternalRow], WindowTask, PartialAggregate) => Iterator[InternalRow],
    metrics: Map[String, SQLMetric]
) extends Serializable {

  /** The results of whole partitions. */
  def ofAll(rows: Iterator[InternalRow]): Iterator[InternalRow] =
    if (rows.isEmpty) Iterator.empty else evaluate(rows, newTask(), () => SurroundingRows.None)

  /** The results of some rows of a table in no order, whose aggregate is `total`. */
  def ofWholeTable(rows: Iterator[InternalRow], total: PartialAggregate): Iterator[InternalRow] =
    if (rows.isEmpty) Iterator.empty
    else {
      timeTask()
      evaluateWholeTable(rows, newTask(), total)
    }

  /** The results of the range's own rows, without those of its halos. */
  def ofRange(range: RangeRows, surroundings: () => SurroundingRows): Iterator[InternalRow] =
    if (range.isEmpty) Iterator.empty
    else {
      timeTask()
      def first = range.rowsIn(1)
      def own = range.rowsIn(2)
      val results = evaluateRange(
        range,
        newTask(),
        () => surroundings().copy(firstResult = first, untilResult = first + own)
      )
      metrics(WindowMetrics.HaloRows) += first + range.rowsIn(3)
      new OwnRows(results, first, own)
    }

  private def timeTask(): Unit = {
    val begin = System.nanoTime()
    TaskContext
      .get()
      .addTaskCompletionListener[Unit](_ => metrics(WindowMetrics.TaskTime) += System.nanoTime() - begin)
  }

  private def newTask() = new WindowTask(TaskContext.get(), metrics)
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
