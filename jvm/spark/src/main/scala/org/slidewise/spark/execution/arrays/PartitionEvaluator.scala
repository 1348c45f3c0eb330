package org.slidewise.spark.execution.arrays

import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeRow}
import org.apache.spark.sql.types.DataType

import org.slidewise.spark.execution.sorting.{RowFailed, RowFinisher, RowPlaces, SortedColumns}
import org.slidewise.spark.execution.task.WindowMeasures
import org.slidewise.spark.plan.{ArrayFunction, RankKind}

/** Evaluates the expressions of an [[ArrayWindow]] for one partition after the other, or for a part of one. */
final private[execution] class PartitionEvaluator(
    window: ArrayWindow,
    sorted: SortedColumns,
    measures: WindowMeasures
) {
  private[this] val columns = window.columns(sorted)
  private[this] val allColumns = columns.values.toArray
  private[this] val peers = new PartitionPeers(sorted.order)
  private[this] val frames = window.frames(sorted, peers)
  private[this] val allFrames = frames.values.toArray
  private[this] val results = window.functions.map(resultOf).toArray
  private[this] var first, last = 0

  def from: Int = first
  def until: Int = last

  /** Turns to the rows from the place `newFrom` to the end of their partition. */
  def begin(newFrom: Int): Unit = {
    first = newFrom
    last = sorted.order.endOfPartition(newFrom)
    peers.begin(first, last)
    allFrames.foreach(_.begin(first, last))
  }

  private def resultOf(function: ArrayFunction): PartitionResult = {
    def column(input: Expression) = columns(input.canonicalized)
    def frame = frames(ArrayWindow.reach(function))
    function match {
      case f: ArrayFunction.Aggregate =>
        val input = ArrayWindow.columnsOf(f).headOption.map(column).orNull
        AggregateResult(f, frame, input, () => measures.stopIfCancelled())
      case ArrayFunction.Rank(kind @ (RankKind.PercentRank | RankKind.CumeDist)) => new DoubleRank(kind, peers)
      case ArrayFunction.Rank(kind)                                              => new LongRank(kind, peers)
      case f: ArrayFunction.ValueOfFrame  => new ValueOfFrame(f, frame, column(f.input))
      case f: ArrayFunction.ValueAtOffset =>
        new ValueAtOffset(f, column(f.input), f.default.map(d => new PartitionDefault(column(d))))
    }
  }

  /** How many of these rows keep their frames if more rows of their partition follow. */
  def complete: Int = allFrames.iterator.map(_.complete).min

  /** The oldest of these rows that is needed for the frames from the `row`th row on. */
  def oldest(row: Int): Int = allFrames.iterator.map(_.oldest(row)).min

  /** Evaluates the rows, of which the results of `firstResult until lastResult` are handed out. */
  def evaluate(firstResult: Int, lastResult: Int): Unit = {
    val begin = System.nanoTime()
    val size = last - first
    allColumns.foreach(_.begin(first, size))
    var widest = 0
    allFrames.foreach(f => widest = math.max(widest, f.widest))
    var recalculated = 0L
    results.foreach(result => recalculated += result.evaluate(size, firstResult, lastResult))
    measures.countRecalculated(recalculated)
    measures.countArrays(lastResult - firstResult, size, results.length, widest, System.nanoTime() - begin)
  }

  /** The first of these rows whose frame fails; `Int.MaxValue` if none does. */
  def failsAt: Int = results.iterator.map(_.failsAt).min

  /** The error of the row [[failsAt]]. */
  def failure: ArithmeticException = results.minBy(_.failsAt).failure

  /**
   * Writers of the results.
   *
   * @param firstField
   *   the first result's place among the fields of a row
   * @param types
   *   the types of the results
   */
  def writers(firstField: Int, types: Seq[DataType]): Array[ResultWriter] = {
    val bitSetBytes = UnsafeRow.calculateBitSetWidthInBytes(firstField + results.length)
    results.zip(types).zipWithIndex.map { case ((result, dataType), i) =>
      new ResultWriter(result, dataType, firstField + i, bitSetBytes)
    }
  }
}

/** Writes the results into sorted rows that have room for them. */
final private[execution] class ArrayRowFinisher private (
    evaluator: PartitionEvaluator,
    places: RowPlaces,
    firstField: Int,
    types: Seq[DataType]
) extends RowFinisher {
  private[this] val writers = evaluator.writers(firstField, types)

  override def finish(from: Int): Int = {
    if (from == evaluator.until) {
      evaluator.begin(from)
      evaluator.evaluate(0, evaluator.until - from)
    }
    val failsAt = evaluator.failsAt
    if (from - evaluator.from == failsAt) throw new RowFailed(evaluator.failure)
    val complete = if (failsAt == Int.MaxValue) evaluator.until else evaluator.from + failsAt
    val until = math.min(from + RowPlaces.Together, complete)
    places.locate(from, until)
    var w = 0
    while (w < writers.length) {
      writers(w).write(from - evaluator.from, until - from, places.bases, places.offsets)
      w += 1
    }
    until
  }
}

private[execution] object ArrayRowFinisher {

  /**
   * @param firstField
   *   the place of the first result among the fields of a row
   * @param types
   *   the types of the results
   * @return
   *   none if the kernels cannot evaluate the rows
   */
  def of(
      window: ArrayWindow,
      sorted: SortedColumns,
      places: RowPlaces,
      firstField: Int,
      types: Seq[DataType],
      measures: WindowMeasures
  ): Option[RowFinisher] =
    window.evaluator(sorted, measures).map(new ArrayRowFinisher(_, places, firstField, types))
}
