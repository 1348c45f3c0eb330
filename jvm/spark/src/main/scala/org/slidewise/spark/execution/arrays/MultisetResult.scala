package org.slidewise.spark.execution.arrays

import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate

import org.slidewise.core.batch.Frames
import org.slidewise.core.kernels.Validity
import org.slidewise.core.multisets.{ColumnDictionary, DistinctSums}
import org.slidewise.spark.plan.{ArrayFunction, MultisetFunction}

/**
 * The results of functions of the multiset of a frame's values, for the frames of one partition after the other.
 *
 * Memory: eight bytes and a bit for each row of the largest partition so far, and the memory of the kernel and of the column's
 * dictionary.
 */
private[arrays] object MultisetResult {
  def apply(
      function: ArrayFunction.OfMultiset,
      frames: PartitionFrames,
      input: PartitionColumn
  ): PartitionResult =
    function.function match {
      case MultisetFunction.DistinctLongSum(checked) => new DistinctSumResult(checked, frames, input)
      case f                                         =>
        val atLeast = if (f == MultisetFunction.DistinctCount) 0 else 1
        val values = if (f.partsZeros) () => input.ranks else () => input.dictionary
        MultisetKernels.longs(function) match {
          case Some(kernel) => new LongMultisetResult(kernel, values, atLeast, frames, input)
          case None         =>
            new DoubleMultisetResult(MultisetKernels.doubles(function), values, atLeast, frames, input)
        }
    }
}

final private class LongMultisetResult(
    kernel: LongMultisetKernel,
    dictionary: () => ColumnDictionary,
    atLeast: Int,
    frames: PartitionFrames,
    input: PartitionColumn
) extends AggregateResult(atLeast, frames, input, FunctionSurroundings.None)
    with LongResult {
  private[this] var out: Array[Long] = _

  override def values: Array[Long] = out
  override protected def putZero(row: Int): Unit = out(row) = 0L

  override protected def compute(size: Int): Unit = {
    out = PartitionColumn.room(out, size)
    kernel.evaluate(dictionary(), frames.frames, out)
  }
}

final private class DoubleMultisetResult(
    kernel: DoubleMultisetKernel,
    dictionary: () => ColumnDictionary,
    atLeast: Int,
    frames: PartitionFrames,
    input: PartitionColumn
) extends AggregateResult(atLeast, frames, input, FunctionSurroundings.None)
    with DoubleResult {
  private[this] var out: Array[Double] = _

  override def values: Array[Double] = out
  override protected def putZero(row: Int): Unit = out(row) = 0.0

  override protected def compute(size: Int): Unit = {
    out = PartitionColumn.room(out, size)
    kernel.evaluate(dictionary(), frames.frames, out)
  }
}

/**
 * Sums of distinct longs. For a sum that exceeds 64 bits, `checked` determines whether the result is an error or null.
 *
 * @param checked
 *   none if sums wrap around
 */
final private class DistinctSumResult(
    checked: Option[DeclarativeAggregate],
    frames: PartitionFrames,
    input: PartitionColumn
) extends AggregateResult(1, frames, input, FunctionSurroundings.None)
    with LongResult {
  private[this] val kernel = new DistinctSums
  private[this] var out: Array[Long] = _
  private[this] var fits = Array.emptyLongArray
  private[this] var allFit = true
  private[this] var failed = Int.MaxValue
  private[this] var error: ArithmeticException = _

  override def values: Array[Long] = out
  override protected def putZero(row: Int): Unit = out(row) = 0L
  override def failsAt: Int = failed
  override def failure: ArithmeticException = error

  override protected def compute(size: Int): Unit = {
    out = PartitionColumn.room(out, size)
    fits = PartitionColumn.room(fits, Validity.words(size))
    allFit = kernel.frames(input.dictionary, frames.frames, out, fits)
  }

  override protected def correct(size: Int, first: Int, until: Int): Long = {
    failed = Int.MaxValue
    if (!allFit) checked.foreach { sum =>
      error = DistinctSumResult.overflowOf(sum)
      if (error == null) nullify(size) else failed = firstOverflow(first, until)
    }
    0L
  }

  private def nullify(size: Int): Unit = {
    var k = 0
    while (k < size) {
      if (!Validity.at(fits, k)) setNull(k, size)
      k += 1
    }
  }

  private def firstOverflow(first: Int, until: Int): Int = {
    var k = first
    while (k < until && Validity.at(fits, k)) k += 1
    if (k < until) k else Int.MaxValue
  }
}

private object DistinctSumResult {

  /** Spark's error where `sum` overflows; null if the result is null. */
  def overflowOf(sum: DeclarativeAggregate): ArithmeticException = {
    val sums = new CheckedLongSums(sum, () => ())
    sums.correct(Array(Long.MaxValue, 1L), null, Frames.rows(2, -1, 0), 1, 2, new Array[Long](2))(_ => ())
    sums.failure
  }
}
