package org.slidewise.spark.execution.arrays

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.DataType

import org.slidewise.spark.execution.columns.FieldVector
import org.slidewise.spark.execution.sorting.{RowFailed, RowOrder, SortedResults}
import org.slidewise.spark.execution.surroundings.{ArraySurroundings, SurroundingRows}
import org.slidewise.spark.execution.task.WindowMeasures
import org.slidewise.spark.plan.ArrayFunction

/** Evaluates the expressions of an [[ArrayWindow]] for one partition after the other, or for a part of one. */
final private[execution] class PartitionEvaluator(
    window: ArrayWindow,
    rows: RowOrder,
    elements: PartitionElements,
    around: ArraySurroundings,
    measures: WindowMeasures
) {
  private[this] val columns = window.columns(elements.columns)
  private[this] val allColumns = columns.values.toArray
  private[this] val peers = new PartitionPeers(rows)
  private[this] val frames = elements.framesOf(window, peers)
  private[this] val allFrames = frames.values.toArray
  private[this] val surroundings = new PartitionSurroundings(around)
  private[this] val results =
    window.functions.zipWithIndex.map { case (function, i) => resultOf(function, i) }.toArray
  private[this] var first, last = 0
  private[this] var firstFailure = Int.MaxValue

  /** The number of rows in all partitions. */
  val size: Int = rows.size

  def from: Int = first
  def until: Int = last

  /** One past the last place of the partition of the row at `place`. */
  def endOfPartition(place: Int): Int = rows.endOfPartition(place)

  /**
   * Moves to the rows from the place `newFrom` to the end of their partition.
   *
   * @param isFirst
   *   whether the partition is the task's first
   * @param complete
   *   whether no rows follow the last of `rows`
   */
  def begin(newFrom: Int, isFirst: Boolean, complete: Boolean): Unit = {
    first = newFrom
    last = rows.endOfPartition(newFrom)
    peers.begin(first, last)
    elements.begin(first, last, isFirst, complete && last == size)
    surroundings.begin(elements.isFirst, elements.isLast)
    var f = 0
    while (f < allFrames.length) {
      allFrames(f).begin(first, last)
      f += 1
    }
  }

  private def resultOf(function: ArrayFunction, number: Int): PartitionResult = {
    def column(input: Expression) = columns(input.canonicalized)
    def frame = frames(ArrayWindow.reach(function))
    function match {
      case f: ArrayFunction.Aggregate =>
        val input = ArrayWindow.columnsOf(f).headOption.map(column).orNull
        AggregateResult(f, frame, input, surroundings.of(number), () => measures.stopIfCancelled())
      case f: ArrayFunction.OfMultiset   => MultisetResult(f, frame, column(f.input))
      case ArrayFunction.Rank(kind)      => RankResult.of(kind, peers, surroundings)
      case f: ArrayFunction.ValueOfFrame =>
        new ValueOfFrame(f, frame, column(f.input), surroundings.of(number))
      case f: ArrayFunction.ValueAtOffset =>
        new ValueAtOffset(f, column(f.input), f.default.map(d => new PartitionDefault(column(d))))
    }
  }

  /** The number of leading rows whose frames do not change if more rows of the partition arrive. */
  def complete: Int = allFrames.iterator.map(_.complete).min

  /** The oldest row of the partition that the frames from the `row`th row on need. */
  def oldest(row: Int): Int = allFrames.iterator.map(_.oldest(row)).min

  /** Evaluates the rows. Only the results of `firstResult until lastResult` are handed out. */
  def evaluate(firstResult: Int, lastResult: Int): Unit = {
    val size = last - first
    var i = 0
    while (i < allColumns.length) {
      allColumns(i).begin(elements.from, elements.size)
      i += 1
    }
    var widest = 0
    i = 0
    while (i < allFrames.length) {
      widest = math.max(widest, allFrames(i).widest)
      i += 1
    }
    var recalculated = 0L
    firstFailure = Int.MaxValue
    i = 0
    while (i < results.length) {
      recalculated += results(i).evaluate(size, firstResult, lastResult)
      firstFailure = math.min(firstFailure, results(i).failsAt)
      i += 1
    }
    measures.countArrays(
      lastResult - firstResult,
      math.max(size, elements.size),
      results.length,
      widest,
      recalculated
    )
  }

  /** The first of these rows whose frame fails; `Int.MaxValue` if none does. */
  def failsAt: Int = firstFailure

  /** The error of the row [[failsAt]]. */
  def failure: ArithmeticException = results.minBy(_.failsAt).failure

  /** Writers of the results, given their types. */
  def writers(types: Seq[DataType]): Array[ResultWriter] =
    results.zip(types).map { case (result, dataType) => new ResultWriter(result, dataType) }
}

/** The results of sorted rows; evaluates a partition when a row of the partition is first requested. */
final private[execution] class ArrayResults(
    evaluator: PartitionEvaluator,
    types: Seq[DataType],
    surroundings: SurroundingRows,
    measures: WindowMeasures
) extends SortedResults {
  private[this] val writers = evaluator.writers(types)

  override def evaluate(from: Int, until: Int, into: Array[FieldVector]): Int = {
    val begin = if (until > evaluator.until) System.nanoTime() else 0L
    if (from < evaluator.from || from > evaluator.until) turnTo(from)
    into.foreach(_.clearNulls())
    var at = from
    var failed = false
    while (at < until && !failed) {
      if (at == evaluator.until) beginAt(at)
      val failsAt = evaluator.from.toLong + evaluator.failsAt
      val end = math.min(math.min(until, evaluator.until), failsAt).toInt
      write(at - from, end - from, from - evaluator.from, into)
      failed = end == failsAt
      at = end
    }
    if (begin != 0L) measures.addArrayTime(System.nanoTime() - begin)
    if (at == from) throw new RowFailed(evaluator.failure)
    at
  }

  private def beginAt(from: Int): Unit = {
    evaluator.begin(from, isFirst = from == 0, complete = true)
    val first = surroundings.firstOf(from, evaluator.until).toInt
    evaluator.evaluate(first - from, surroundings.endOf(first, evaluator.until).toInt - from)
  }

  /** Moves to the partition of the row at `place`. */
  private def turnTo(place: Int): Unit = {
    var from = 0
    while (evaluator.endOfPartition(from) <= place) from = evaluator.endOfPartition(from)
    beginAt(from)
  }

  private def write(from: Int, until: Int, shift: Int, into: Array[FieldVector]): Unit = {
    var w = 0
    while (w < writers.length) {
      writers(w).write(shift, from, until, into(w))
      w += 1
    }
  }
}
