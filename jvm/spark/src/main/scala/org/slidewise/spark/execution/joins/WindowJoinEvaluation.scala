package org.slidewise.spark.execution.joins

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.vectorized.ColumnarBatch

import org.slidewise.spark.execution.arrays.{ArrayResults, ArrayWindow}
import org.slidewise.spark.execution.sorting._
import org.slidewise.spark.execution.surroundings.{ArraySurroundingsReader, SurroundingRows}
import org.slidewise.spark.execution.task.{HeapMemory, WindowTask}
import org.slidewise.spark.plan._

/**
 * Evaluates windows over another table in one task: sorts the right rows, then the left rows, and finds all frames by one scan of
 * both sides.
 *
 * Array kernels evaluate the functions of the plan's `arrays` if the columns of both sides fit in memory. A [[JoinByRows]]
 * evaluates the other functions, or all functions.
 *
 * @param left
 *   the attributes of a left row
 * @param right
 *   the attributes of a right row
 */
final private[execution] class WindowJoinEvaluation(
    plan: WindowJoinPlan,
    left: Seq[Attribute],
    right: Seq[Attribute]
) extends Serializable {

  /**
   * @param around
   *   the surroundings of the right rows
   */
  def evaluate(
      leftRows: Iterator[InternalRow],
      rightRows: Iterator[InternalRow],
      task: WindowTask,
      around: SurroundingRows = SurroundingRows.None
  ): Iterator[InternalRow] =
    if (leftRows.isEmpty) Iterator.empty
    else if (!plan.sorts) all.evaluate(leftRows, rightRows, task, around)
    else
      plan.window.arrays match {
        case Some(arrays) => sortedInArrays(arrays, leftRows, rightRows, task, around).rows
        case None         =>
          val elements = task.measures.timeSort(sorterOf(rightSort, right, task).sort(rightRows))
          val rows = task.measures.timeSort(sorterOf(leftSort, left, task).sort(leftRows))
          all.evaluate(rows, elements, task, around)
      }

  /** Returns the rows as [[evaluate]] does, in batches. The plan sorts, and evaluates all expressions in arrays. */
  def evaluateBatches(
      leftRows: Iterator[InternalRow],
      rightRows: Iterator[InternalRow],
      task: WindowTask
  ): Iterator[ColumnarBatch] =
    if (leftRows.isEmpty) Iterator.empty
    else {
      val arrays = plan.window.arrays.get
      sortedInArrays(arrays, leftRows, rightRows, task, SurroundingRows.None)
        .batches((left ++ arrays.results).map(_.dataType))
    }

  /** The evaluation of all expressions. */
  private def all = new JoinByRows(plan, plan.byRows, left, right)

  private def sorterOf(spec: SortSpec, input: Seq[Attribute], task: WindowTask): PartitionSorter = {
    val sorter = new PartitionSorter(task.resources, input, spec)
    task.closeAtEnd(sorter)
    sorter
  }

  // Both sides share the numbers of keys that are hashed, so that equal keys have equal numbers.
  private def rightSort =
    new SortSpec(plan.rightKeys, plan.window.sortOrder, radixInSpark = false, peers = 1)
  private def leftSort =
    new SortSpec(plan.leftKeys, plan.leftOrder, radixInSpark = false, peers = 1)

  /** The left rows with all results, from array kernels or from row-wise evaluation. */
  private def sortedInArrays(
      arrays: ArrayPlan,
      leftRows: Iterator[InternalRow],
      rightRows: Iterator[InternalRow],
      task: WindowTask,
      around: SurroundingRows
  ): SortResult = {
    val window = new ArrayWindow(arrays.functions, plan.window.orderSpec)
    val columns = new RightColumns(task)
    val rightSorter =
      new PartitionSorter(
        task.resources,
        right,
        rightSort,
        inputs = window.inputs,
        wholeRows = !plan.window.rowWise.isEmpty,
        keyNumbers = columns.numbers
      )
    task.closeAtEnd(rightSorter)
    val elements = task.measures.timeSort(
      rightSorter.sort(
        rightRows,
        sorted => {
          columns.keep(sorted)
          None
        }
      )
    )
    val inArrays = new ArraySurroundingsReader(plan.window, arrays, right).read(around)
    val bounds = window.rowBounds
    val places = bounds.zipWithIndex.toMap
    val inputs =
      bounds.map(b => InputColumn(SortPrefix(b.order.copy(child = b.value)), window.orderKey.flip)) ++
        plan.times.map(InputColumn(_))
    val leftSorter = new PartitionSorter(
      task.resources,
      left,
      leftSort,
      arrays.results,
      inputs,
      wholeRows = false,
      columns.numbersIfKept
    )
    task.closeAtEnd(leftSorter)
    val rows = task.measures.timeSort(
      leftSorter.sort(
        leftRows,
        sorted =>
          for {
            kept <- columns.kept if !sorted.inputsFailed && standForOne(sorted, bounds.size)
            evaluator <- window
              .evaluatorOver(kept, sorted, b => sorted.firstInput + places(b), inArrays, task.measures)
          } yield new ArrayResults(
            evaluator,
            arrays.results.map(_.dataType),
            SurroundingRows.None,
            task.measures
          )
      )
    )
    columns.dropNumbers()
    rows.withResults match {
      case Some(_) if plan.window.rowWise.isEmpty =>
        rightSorter.close()
        rows
      case Some(found) =>
        val others = new JoinByRows(plan, plan.window.rowWise, left ++ arrays.results, right)
        SortResult(others.evaluate(found, elements.rows, task.withoutRowCount, around), None)
      case None =>
        columns.release()
        task.measures.countFallback()
        SortResult(all.evaluate(rows.rows, elements.rows, task, around), None)
    }
  }

  /** Whether no left row stands for several rows. The input after the bounds is the number of rows that a left row stands for. */
  private def standForOne(sorted: SortedColumns, bounds: Int): Boolean = plan.times.isEmpty || {
    val times = sorted.columns(sorted.firstInput + bounds)
    (0 until sorted.order.size).forall(times(_) == 1L)
  }
}

/** The columns of sorted right rows, and the numbers of their keys, while left rows are evaluated. */
final private class RightColumns(task: WindowTask) {
  private[this] val memory = new HeapMemory(task.resources)
  private[this] var columns: SortedColumns = _
  private[this] var numbersOfKeys = new GroupNumbers
  private[this] var bytesOfNumbers = 0L

  def numbers: GroupNumbers = numbersOfKeys

  /** Keeps the columns if there is memory for them. */
  def keep(sorted: SortedColumns): Unit =
    if (!sorted.inputsFailed && memory.acquire(sorted.bytes + numbersOfKeys.bytes)) {
      columns = sorted
      bytesOfNumbers = numbersOfKeys.bytes
      task.onCompletion(() => memory.releaseAll())
    }

  def kept: Option[SortedColumns] = Option(columns)

  /** The numbers of the right keys if the columns are kept, otherwise numbers of no keys. */
  def numbersIfKept: GroupNumbers = {
    if (columns == null) numbersOfKeys = new GroupNumbers
    numbersOfKeys
  }

  /** Drops the numbers, with the left keys that have been added to them. */
  def dropNumbers(): Unit = {
    numbersOfKeys = null
    memory.freeMemory(bytesOfNumbers)
    bytesOfNumbers = 0L
  }

  def release(): Unit = {
    columns = null
    memory.releaseAll()
  }
}
