package org.slidewise.spark.execution.arrays

import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.types.DataType

import org.slidewise.core.kernels.{GroupKernels, LongKernels, Validity}
import org.slidewise.spark.execution.columns.FieldVector
import org.slidewise.spark.execution.sorting._
import org.slidewise.spark.execution.task.WindowMeasures
import org.slidewise.spark.plan.{ArrayFunction, ArrayKernel}

/**
 * Aggregates whole partitions of unsorted rows in two passes over the columns. The rows keep their order.
 *
 * Memory: for each partition and function 4 to 20 bytes.
 */
private[execution] object GroupedRows {

  /**
   * The results of the rows, in the order of arrival.
   *
   * @param types
   *   the types of the results
   * @return
   *   none if an input or a sum has failed, or if there is no memory
   */
  def results(
      window: ArrayWindow,
      sorted: SortedColumns,
      groups: PartitionGroups,
      types: Seq[DataType],
      measures: WindowMeasures
  ): Option[SortedResults] = {
    val begin = System.nanoTime()
    val functions = window.functions.collect { case function: ArrayFunction.Aggregate => function }
    if (sorted.inputsFailed || !sorted.acquire(functions.map(bytesAGroup).sum * groups.sizes.length)) None
    else {
      val columns = new GroupedColumns(window, sorted)
      val found = functions.map(GroupedResult.of(_, groups, columns))
      measures.addArrayTime(System.nanoTime() - begin)
      if (found.exists(_.isEmpty)) None
      else {
        val largest = if (groups.sizes.isEmpty) 0 else groups.sizes.max
        Some(new GroupedResults(found.flatten.toArray, largest, types, measures))
      }
    }
  }

  private def bytesAGroup(function: ArrayFunction.Aggregate): Long = function.kernel match {
    case ArrayKernel.CountValues    => 4L
    case ArrayKernel.Variance(_, _) => 20L
    case _                          => 12L
  }
}

/** The input columns of a window, indexed by row number. */
final private class GroupedColumns(window: ArrayWindow, sorted: SortedColumns) {
  val size: Int = sorted.order.size

  /** The column that a function reads; none if every row counts. */
  def of(function: ArrayFunction.Aggregate): Option[Int] =
    ArrayWindow.columnsOf(function).headOption.map(window.columnOf(sorted, _))

  def values(column: Int): Array[Long] = sorted.columns(column)

  /** The rows that hold a value, as bits (see [[Validity]]). */
  def valid(column: Int): Array[Long] = sorted.columns.valid(column, size)
}

/** The results of a function for the rows of the last call of [[evaluate]]. */
abstract private class GroupedResult(groups: PartitionGroups, counts: Array[Int], atLeast: Int) {
  private[this] val missing = atLeast > 0 && counts.exists(_ < atLeast)
  private[this] val words = if (missing) new Array[Long](Validity.words(GroupedResult.Together)) else null

  final def valid: Array[Long] = words

  final def evaluate(size: Int, first: Int, until: Int): Long = {
    load(groups.numbers, first, until)
    if (missing) {
      java.util.Arrays.fill(words, 0L)
      var i = first
      while (i < until) {
        if (counts(groups.numbers(i)) >= atLeast) words(i - first >>> 6) |= 1L << (i - first)
        i += 1
      }
    }
    0L
  }

  protected def load(numbers: Array[Int], first: Int, until: Int): Unit
}

final private class GroupedLongs(groups: PartitionGroups, counts: Array[Int], atLeast: Int, of: Int => Long)
    extends GroupedResult(groups, counts, atLeast)
    with LongResult {
  override val values = new Array[Long](GroupedResult.Together)

  override protected def load(numbers: Array[Int], first: Int, until: Int): Unit = {
    var i = first
    while (i < until) {
      values(i - first) = of(numbers(i))
      i += 1
    }
  }
}

final private class GroupedDoubles(
    groups: PartitionGroups,
    counts: Array[Int],
    atLeast: Int,
    results: Array[Double]
) extends GroupedResult(groups, counts, atLeast)
    with DoubleResult {
  override val values = new Array[Double](GroupedResult.Together)

  override protected def load(numbers: Array[Int], first: Int, until: Int): Unit = {
    var i = first
    while (i < until) {
      values(i - first) = results(numbers(i))
      i += 1
    }
  }
}

private object GroupedResult {

  /** The maximum number of rows whose results are evaluated together. */
  final val Together = 1024

  /** The results of a function. None if a sum overflows, and the result may therefore be an error or null. */
  def of(
      function: ArrayFunction.Aggregate,
      groups: PartitionGroups,
      columns: GroupedColumns
  ): Option[PartitionResult] = {
    val column = columns.of(function)
    val values = column.fold(Array.emptyLongArray)(columns.values)
    val valid = column.fold(null: Array[Long])(columns.valid)
    val (numbers, size, partitions) = (groups.numbers, columns.size, groups.sizes.length)
    val counts =
      if (valid == null) groups.sizes
      else {
        val found = new Array[Int](partitions)
        GroupKernels.counts(numbers, valid, size, found)
        found
      }
    def longs(fill: Array[Long] => Boolean) = {
      val out = new Array[Long](partitions)
      if (fill(out)) Some(new GroupedLongs(groups, counts, function.atLeast, out(_))) else None
    }
    def sumsOfDecimals(out: Array[Long], most: Long) =
      GroupKernels.sums(numbers, values, valid, size, out) && LongKernels.magnitude(
        out,
        null,
        partitions
      ) <= most
    def doubles(fill: Array[Double] => Unit) = {
      val out = new Array[Double](partitions)
      fill(out)
      Some(new GroupedDoubles(groups, counts, function.atLeast, out))
    }
    function.kernel match {
      case ArrayKernel.CountValues =>
        Some(new GroupedLongs(groups, counts, function.atLeast, counts(_).toLong))
      case ArrayKernel.SumLongs(checked) =>
        longs(GroupKernels.sums(numbers, values, valid, size, _) || wraps(checked))
      case ArrayKernel.SumDecimals(most)             => longs(sumsOfDecimals(_, most))
      case kernel @ ArrayKernel.MeanDecimals(factor) =>
        longs { out =>
          val fit = sumsOfDecimals(out, kernel.most)
          if (fit)
            out.indices.foreach(group => out(group) = Decimals.mean(out(group), counts(group).toLong, factor))
          fit
        }
      case ArrayKernel.MinLongs =>
        longs { out => GroupKernels.least(numbers, values, valid, size, out); true }
      case ArrayKernel.MaxLongs =>
        longs { out => GroupKernels.greatest(numbers, values, valid, size, out); true }
      case ArrayKernel.SumDoubles  => doubles(GroupKernels.sums(numbers, values, valid, size, _))
      case ArrayKernel.MeanDoubles =>
        doubles { out =>
          GroupKernels.sums(numbers, values, valid, size, out)
          out.indices.foreach(group => out(group) /= counts(group))
        }
      case ArrayKernel.MinDoubles           => doubles(GroupKernels.least(numbers, values, valid, size, _))
      case ArrayKernel.MaxDoubles           => doubles(GroupKernels.greatest(numbers, values, valid, size, _))
      case ArrayKernel.Variance(lost, root) =>
        doubles { out =>
          val (found, means) = (new Array[Int](partitions), new Array[Double](partitions))
          GroupKernels.variances(numbers, values, valid, size, lost, found, means, out)
          if (root) out.indices.foreach(group => out(group) = math.sqrt(out(group)))
        }
    }
  }

  private def wraps(checked: Option[DeclarativeAggregate]): Boolean = checked.isEmpty
}

/** Evaluates the results of grouped rows, at most `GroupedResult.Together` rows at a time. */
final private class GroupedResults(
    results: Array[PartitionResult],
    largest: Int,
    types: Seq[DataType],
    measures: WindowMeasures
) extends SortedResults {
  private[this] val writers = results.zip(types).map { case (result, dataType) =>
    new ResultWriter(result, dataType)
  }

  override def evaluate(from: Int, until: Int, into: Array[FieldVector]): Int = {
    val end = math.min(until, from + GroupedResult.Together)
    var i = 0
    while (i < results.length) {
      results(i).evaluate(end - from, from, end)
      into(i).clearNulls()
      writers(i).write(0, 0, end - from, into(i))
      i += 1
    }
    measures.countGroups(end - from, results.length, largest)
    end
  }
}
