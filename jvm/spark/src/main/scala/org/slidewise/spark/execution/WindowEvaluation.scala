package org.slidewise.spark.execution

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.ColumnarBatch

import org.slidewise.spark.execution.arrays.{ArrayResults, ArrayWindow, GroupedRows, PresortedArrays}
import org.slidewise.spark.execution.sorting.{PartitionSorter, SortResult, SortSpec}
import org.slidewise.spark.execution.surroundings.{ArraySurroundingsReader, SurroundingRows}
import org.slidewise.spark.execution.task.WindowTask
import org.slidewise.spark.plan.{ArrayPlan, RowWisePlan, SlidingWindowPlan, SortPlacement}

/**
 * Evaluates a plan's window expressions over the rows of one task. A closed hierarchy: the driver chooses an evaluation in
 * [[WindowEvaluation.of]] and sends it to the executors.
 *
 * | strategy | rows come | evaluated |
 * |---|---|---|
 * | [[RowWiseEvaluation]] | in order | row by row |
 * | [[ArrayEvaluation]] | in order | in arrays, a part of a partition at a time |
 * | [[SortedRowWiseEvaluation]] | in any order | sorted, then row by row |
 * | [[SortedArrayEvaluation]] | in any order | sorted, then in arrays, a partition at a time |
 *
 * Where arrays evaluate some of the expressions only, a [[TwoStageEvaluation]] evaluates the others row by row.
 *
 * Both evaluations in arrays fall back to [[RowWiseEvaluation]] where the kernels cannot evaluate the rows: an input or a bound
 * fails or overflows, or there is no memory for arrays. The fallback is counted in the metric `fallbacks`.
 */
sealed abstract private[execution] class WindowEvaluation extends Serializable {

  /**
   * Returns the rows with their results. Releases every file and page when the rows are used up, or else when the task ends, also
   * after an error or a cancellation.
   *
   * @param surroundings
   *   returns the surroundings of `rows`, which also determine the results to hand out; an evaluation that sorts calls it after
   *   it has read all rows, perhaps more than once
   */
  def evaluate(
      rows: Iterator[InternalRow],
      task: WindowTask,
      surroundings: () => SurroundingRows = () => SurroundingRows.None
  ): Iterator[InternalRow]

  /**
   * Returns batches of the rows whose results are handed out. Calls `surroundings` as [[evaluate]] does.
   *
   * @param types
   *   the types of the rows with their results
   */
  def evaluateBatches(
      rows: Iterator[InternalRow],
      task: WindowTask,
      types: Seq[DataType],
      surroundings: () => SurroundingRows = () => SurroundingRows.None
  ): Iterator[ColumnarBatch] = {
    val found = resultsOf(rows, task, surroundings)
    val around = surroundings()
    found.batches(types, around.firstResult, around.untilResult)
  }

  protected def resultsOf(
      rows: Iterator[InternalRow],
      task: WindowTask,
      surroundings: () => SurroundingRows
  ): SortResult = SortResult(evaluate(rows, task, surroundings), None)
}

private[execution] object WindowEvaluation {

  /**
   * @param sorts
   *   whether the operator must sort the rows
   * @param keepsTies
   *   whether the sort keeps ties in the order of arrival, even where Spark's sort does not
   */
  def of(
      plan: SlidingWindowPlan,
      input: Seq[Attribute],
      sorts: Boolean,
      keepsTies: Boolean = false
  ): WindowEvaluation =
    plan.arrays match {
      case None =>
        val rowWise = new RowWiseEvaluation(plan, plan.rowWise, input)
        if (sorts) new SortedRowWiseEvaluation(plan, input, keepsTies, rowWise) else rowWise
      case Some(arrays) =>
        val first =
          if (sorts) sortedInArrays(plan, arrays, input, keepsTies)
          else presortedInArrays(plan, arrays, input)
        if (plan.rowWise.isEmpty) first
        else
          new TwoStageEvaluation(first, new RowWiseEvaluation(plan, plan.rowWise, input ++ arrays.results))
    }

  private def sortedInArrays(
      plan: SlidingWindowPlan,
      arrays: ArrayPlan,
      input: Seq[Attribute],
      keepsTies: Boolean
  ) = new SortedArrayEvaluation(plan, arrays, input, keepsTies, presortedInArrays(plan, arrays, input))

  private def presortedInArrays(plan: SlidingWindowPlan, arrays: ArrayPlan, input: Seq[Attribute]) =
    new ArrayEvaluation(plan, arrays, input, new RowWiseEvaluation(plan, arrays.fallback, input))
}

/** Evaluates presorted rows, row by row. */
final private[execution] class RowWiseEvaluation(
    window: SlidingWindowPlan,
    plan: RowWisePlan,
    input: Seq[Attribute]
) extends WindowEvaluation {

  private val pipeline = new RowWisePipeline(window, plan, input)

  override def evaluate(
      rows: Iterator[InternalRow],
      task: WindowTask,
      surroundings: () => SurroundingRows
  ): Iterator[InternalRow] = pipeline.start(rows, task, answered = 0, surroundings())

  /**
   * Takes over from an evaluation in arrays.
   *
   * @param rows
   *   the remaining rows, from the first row of the current partition or from the oldest row that a later frame reads
   * @param answered
   *   the number of these rows that have been handed out already
   * @param surroundings
   *   the surroundings of these rows
   */
  def takeOver(
      rows: Iterator[InternalRow],
      task: WindowTask,
      answered: Int,
      surroundings: SurroundingRows
  ): Iterator[InternalRow] = {
    task.measures.countFallback()
    pipeline.start(rows, task, answered, surroundings)
  }
}

/** Evaluates some expressions with `first`, which returns the rows in order, and then the others row by row. */
final private[execution] class TwoStageEvaluation(first: WindowEvaluation, second: RowWiseEvaluation)
    extends WindowEvaluation {

  override def evaluate(
      rows: Iterator[InternalRow],
      task: WindowTask,
      surroundings: () => SurroundingRows
  ): Iterator[InternalRow] = {
    lazy val found = surroundings()
    second.evaluate(first.evaluate(rows, task.withoutRowCount, () => found), task, () => found)
  }
}

/** Evaluates presorted rows in arrays, a part of a partition at a time, as large as its frames need. */
final private[execution] class ArrayEvaluation(
    plan: SlidingWindowPlan,
    expressions: ArrayPlan,
    input: Seq[Attribute],
    fallback: RowWiseEvaluation
) extends WindowEvaluation {

  private val inArrays = new ArraySurroundingsReader(plan, expressions, input)

  override def evaluate(
      rows: Iterator[InternalRow],
      task: WindowTask,
      surroundings: () => SurroundingRows
  ): Iterator[InternalRow] = {
    val arrays = new PresortedArrays(
      rows,
      plan,
      expressions,
      input,
      task,
      surroundings(),
      inArrays,
      (rest, answered, around) => fallback.takeOver(rest, task, answered, around)
    )
    task.onCompletion(() => arrays.close())
    arrays
  }
}

/** Sorts the rows, then evaluates them row by row. */
final private[execution] class SortedRowWiseEvaluation(
    plan: SlidingWindowPlan,
    input: Seq[Attribute],
    keepsTies: Boolean,
    rowWise: RowWiseEvaluation
) extends WindowEvaluation {

  override def evaluate(
      rows: Iterator[InternalRow],
      task: WindowTask,
      surroundings: () => SurroundingRows
  ): Iterator[InternalRow] = {
    val sorter = new PartitionSorter(task.resources, input, SortSpec.of(plan, keepsTies))
    task.closeAtEnd(sorter)
    rowWise.evaluate(task.measures.timeSort(sorter.sort(rows)), task, surroundings)
  }
}

/**
 * Sorts the rows, and evaluates them with array kernels. Where the rows or the arrays of whole partitions do not fit in memory,
 * `presorted` evaluates the sorted rows. If the window needs no order, the rows are grouped by key instead and keep the order of
 * arrival, unless a sum overflows or memory is short.
 */
final private[execution] class SortedArrayEvaluation(
    plan: SlidingWindowPlan,
    expressions: ArrayPlan,
    input: Seq[Attribute],
    keepsTies: Boolean,
    presorted: ArrayEvaluation
) extends WindowEvaluation {

  private val inArrays = new ArraySurroundingsReader(plan, expressions, input)

  override def evaluate(
      rows: Iterator[InternalRow],
      task: WindowTask,
      surroundings: () => SurroundingRows
  ): Iterator[InternalRow] = resultsOf(rows, task, surroundings).rows

  override protected def resultsOf(
      rows: Iterator[InternalRow],
      task: WindowTask,
      surroundings: () => SurroundingRows
  ): SortResult = {
    val sorted = sort(rows, task, surroundings)
    if (sorted.finished) sorted
    else SortResult(presorted.evaluate(sorted.rows, task, surroundings), None)
  }

  private def sort(
      rows: Iterator[InternalRow],
      task: WindowTask,
      surroundings: () => SurroundingRows
  ): SortResult = {
    val window = new ArrayWindow(expressions.functions, plan.orderSpec)
    val types = expressions.results.map(_.dataType)
    val sorter = new PartitionSorter(
      task.resources,
      input,
      SortSpec.of(plan, keepsTies),
      expressions.results,
      window.inputs,
      wholeRows = false
    )
    task.closeAtEnd(sorter)
    task.measures.timeSort(
      sorter.sort(
        rows,
        columns => {
          val around = inArrays.read(surroundings())
          window
            .evaluator(columns, around, task.measures)
            .map(new ArrayResults(_, types, around.rows, task.measures))
        },
        if (plan.sortPlacement == SortPlacement.Unneeded)
          Some(GroupedRows.results(window, _, _, types, task.measures))
        else None
      )
    )
  }
}
