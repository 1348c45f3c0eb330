package org.slidewise.spark.execution.parallel

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}

import org.slidewise.spark.execution.TotalsEvaluation
import org.slidewise.spark.execution.columns.{FieldVector, RowField}
import org.slidewise.spark.execution.exchange.SelectedVector
import org.slidewise.spark.execution.task.WindowTask
import org.slidewise.spark.plan.{SlidingWindowPlan, StateTypes}

/**
 * Adds the results of whole partitions to rows in any order. Memory: the keys, and a row of results for each key.
 *
 * @param input
 *   the attributes of a row
 * @param totals
 *   the aggregates of the partitions of all these rows
 */
final private[parallel] class ResultsByKey(
    plan: SlidingWindowPlan,
    input: Seq[Attribute],
    totals: TableTotals,
    task: WindowTask
) {
  import ResultsByKey._

  private[this] val evaluation = new TotalsEvaluation(plan, input)
  private[this] val results = evaluation.results(task, totals.aggregates.toSeq)
  private[this] val sizes = totals.aggregates.map(_.rows)
  private[this] val largest = sizes.foldLeft(0L)(math.max)
  private[this] val measures = task.measures

  private[this] val keys =
    if (plan.partitionSpec.isEmpty) None
    else {
      val numbers = KeyNumbers.of(plan.partitionSpec, input)
      totals.keys.foreach(numbers.ofBytes)
      Some(numbers)
    }

  /** The rows with their results. */
  def rows(rows: Iterator[InternalRow]): Iterator[InternalRow] = {
    val attributes = plan.expressions.map(_.expression.toAttribute)
    val joiner = GenerateUnsafeRowJoiner.create(
      DataTypeUtils.fromAttributes(input),
      DataTypeUtils.fromAttributes(attributes)
    )
    var handedOut = 0L
    rows.map { row =>
      handedOut += 1
      if (handedOut % CheckEvery == 0) measures.stopIfCancelled()
      val begin = measures.begin()
      val number = keys.fold(0)(known => checked(known.of(row)))
      val result = joiner.join(row.asInstanceOf[UnsafeRow], results(number))
      measures.end(begin, sizes(number))
      result
    }
  }

  /** The batches with their results. A batch is valid until the next batch is requested. */
  def batches(batches: Iterator[ColumnarBatch]): Iterator[ColumnarBatch] = {
    val columns = vectorsOf(results, evaluation.types).map(new ResultColumn(_))
    batches.map { batch =>
      measures.stopIfCancelled()
      val count = batch.numRows
      val rows = keys.fold(new Array[Int](count))(numbersOf(_, batch))
      measures.countArrays(count, rows = 0, expressions = 0, math.min(largest, Int.MaxValue).toInt, 0L)
      new ColumnarBatch(
        (Seq.tabulate(batch.numCols)(batch.column) ++ columns.map(_.of(rows, count))).toArray,
        count
      )
    }
  }

  private def numbersOf(known: KeyNumbers, batch: ColumnarBatch): Array[Int] = {
    val numbers = known.of(batch)
    if (known.size > results.length) checked(known.size - 1): Unit
    numbers
  }

  private def checked(number: Int): Int =
    if (number < results.length) number
    else
      throw new IllegalStateException(
        "a row has a partition key that no row had when the table was read first: its files changed while the query ran"
      )
}

private object ResultsByKey {
  private val CheckEvery = 4096L

  /** Loads rows into vectors, one for each column. */
  private def vectorsOf(rows: Array[UnsafeRow], types: Seq[DataType]): Seq[FieldVector] = {
    val (bases, offsets) = (rows.map(_.getBaseObject), rows.map(_.getBaseOffset))
    types.indices.map { field =>
      val vector = new FieldVector(types(field), rows.length)
      vector.addresses(bases, offsets)
      vector.await(new RowField(types, field, bases, offsets, () => rows.length))
      vector.load()
      vector
    }
  }
}

/** Looks up the values of one column of results. Memory: nine bytes for each row of a batch, if values have a fixed size. */
final private class ResultColumn(results: FieldVector) {
  private[this] val isCopied = StateTypes.isFixedWidth(results.dataType)
  private[this] var capacity = 0
  private[this] var copied: FieldVector = _

  /** The values of the results with the given numbers, valid until the next call. */
  def of(numbers: Array[Int], count: Int): ColumnVector =
    if (!isCopied) new SelectedVector(results, numbers)
    else {
      if (capacity < count) {
        capacity = count
        copied = new FieldVector(results.dataType, count)
      }
      copied.clearNulls()
      val (words, into) = (results.words, copied.words)
      val nullable = results.hasNull
      var row = 0
      while (row < count) {
        into(row) = words(numbers(row))
        if (nullable && results.isNullAt(numbers(row))) copied.setNull(row)
        row += 1
      }
      copied
    }
}
