package org.slidewise.spark.execution.parallel

import scala.collection.AbstractIterator
import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.physical.SinglePartition
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.vectorized.{ColumnVectorUtils, ConstantColumnVector}
import org.apache.spark.sql.types.{BinaryType, DataType}
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}

import org.slidewise.spark.execution.columns.FieldVector
import org.slidewise.spark.execution.exchange.FilteredBatchesExec
import org.slidewise.spark.execution.surroundings.{PartialAggregate, SurroundingFunctions}
import org.slidewise.spark.execution.task.WindowMeasures
import org.slidewise.spark.plan.SlidingWindowPlan

/**
 * Evaluates a window whose frame is the whole table, in no order: a job aggregates the rows, and each task adds the results to
 * those that it reads. Memory: an aggregate for each partition, on the driver.
 */
final private[parallel] class TwiceReadWindow(
    plan: SlidingWindowPlan,
    read: RowsReadTwiceExec
) {

  /**
   * The rows with their results. Runs a job.
   *
   * @param inOneTask
   *   whether one task is to evaluate all rows
   */
  def rows(evaluation: RowEvaluation, inOneTask: Boolean): RDD[InternalRow] =
    withResults(evaluation, inOneTask)(total =>
      read.right.execute().mapPartitions(evaluation.ofWholeTable(_, total))
    )

  /** The rows with their results in batches, as [[rows]]. */
  def batches(evaluation: BatchEvaluation, inOneTask: Boolean): RDD[ColumnarBatch] =
    withResults(evaluation, inOneTask)(total =>
      read.right.executeColumnar().mapPartitions(evaluation.ofBatches(_, total))
    )

  private def withResults[T: ClassTag](evaluation: RangeEvaluation[T], inOneTask: Boolean)(
      added: PartialAggregate => RDD[T]
  ): RDD[T] = {
    // As in Spark: a stage in barrier mode may have no RDD with another number of partitions.
    def evaluated =
      ShuffleExchangeExec(SinglePartition, FilteredBatchesExec.rowsOf(read.right))
        .execute()
        .mapPartitions(evaluation.ofAll)
    if (inOneTask) evaluated
    else {
      val functions = new SurroundingFunctions(plan, read.left.output)
      val found = total(functions)
      if (functions.mustBeOneTask(found)) evaluated else added(found)
    }
  }

  private def total(functions: SurroundingFunctions): PartialAggregate = {
    val parts = read.left.execute().mapPartitions { rows =>
      val aggregate = functions.aggregator()
      rows.foreach(aggregate.add)
      Iterator.single(OwnClasses.bytesOf(aggregate.result()))
    }
    parts.collect().map(OwnClasses.valueOf[PartialAggregate]).foldLeft(functions.merger())(_ add _).result()
  }
}

/**
 * Batches with results that are the same in each row.
 *
 * @param results
 *   a row of the results
 * @param rows
 *   the number of rows of the table
 */
final private[parallel] class WholeTableBatches(
    batches: Iterator[ColumnarBatch],
    results: InternalRow,
    types: Seq[DataType],
    rows: Long,
    measures: WindowMeasures
) extends AbstractIterator[ColumnarBatch] {
  private[this] var count = -1
  private[this] var constants: Seq[ColumnVector] = Nil

  override def hasNext: Boolean = batches.hasNext

  override def next(): ColumnarBatch = {
    measures.stopIfCancelled()
    val batch = batches.next()
    if (batch.numRows != count) {
      count = batch.numRows
      constants = types.indices.map(constant)
    }
    measures.countArrays(
      count,
      rows = 0,
      expressions = 0,
      math.min(rows, Int.MaxValue).toInt,
      recalculated = 0L
    )
    new ColumnarBatch((Seq.tabulate(batch.numCols)(batch.column) ++ constants).toArray, count)
  }

  private def constant(result: Int): ColumnVector = {
    val vector = new ConstantColumnVector(count, types(result))
    ColumnVectorUtils.populate(vector, results, result)
    vector
  }
}

private[parallel] object WholeTableBatches {

  /** Whether batches can have values of a type that are the same in each row. */
  def have(dataType: DataType): Boolean = FieldVector.holds(dataType) && dataType != BinaryType
}
