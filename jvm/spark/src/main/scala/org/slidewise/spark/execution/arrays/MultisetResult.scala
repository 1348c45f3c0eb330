package org.slidewise.spark.execution.arrays

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum
import org.apache.spark.sql.types.LongType

import org.slidewise.core.kernels.Validity
import org.slidewise.core.multisets.{ColumnDictionary, DistinctSums}
import org.slidewise.spark.plan.{ArrayFunction, MultisetFunction}

/**
 * Aggregates of the distinct values of the frames of one partition after the other.
 *
 * Memory: eight bytes and a bit for each row of the largest partition so far, and what the kernel and the column's dictionary hold.
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
) extends AggregateResult(atLeast, frames, input)
    with LongResult {
  private[this] var out: Array[Long] = _

  override def values: Array[Long] = out

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
) extends AggregateResult(atLeast, frames, input)
    with DoubleResult {
  private[this] var out: Array[Double] = _

  override def values: Array[Double] = out

  override protected def compute(size: Int): Unit = {
    out = PartitionColumn.room(out, size)
    kernel.evaluate(dictionary(), frames.frames, out)
  }
}

/**
 * Sums of distinct longs. A sum that does not fit 64 bits fails, or is null, as `checked` says.
 *
 * @param checked
 *   none if sums wrap around
 */
final private class DistinctSumResult(checked: Option[Sum], frames: PartitionFrames, input: PartitionColumn)
    extends AggregateResult(1, frames, input)
    with LongResult {
  private[this] val kernel = new DistinctSums
  private[this] var out: Array[Long] = _
  private[this] var fits = Array.emptyLongArray
  private[this] var allFit = true
  private[this] var failed = Int.MaxValue
  private[this] var error: ArithmeticException = _

  override def values: Array[Long] = out
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
      try {
        DistinctSumResult.overflow(sum)
        nullify(size)
      } catch {
        case overflow: ArithmeticException =>
          failed = firstOverflow(first, until)
          error = overflow
      }
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

  /** Overflows `sum`: throws Spark's error unless the result is null. */
  def overflow(sum: Sum): Unit = {
    val value = AttributeReference("value", LongType, nullable = false)()
    val function = sum.withNewChildren(Seq(value)).asInstanceOf[Sum]
    val buffer = new SpecificInternalRow(function.aggBufferAttributes.map(_.dataType))
    MutableProjection.create(function.initialValues, Nil).target(buffer)(EmptyRow)
    val update = MutableProjection
      .create(function.updateExpressions, function.aggBufferAttributes :+ value)
      .target(buffer)
    val input = new SpecificInternalRow(Seq(LongType))
    val joined = new JoinedRow(buffer, input)
    Seq(Long.MaxValue, 1L).foreach { number =>
      input.setLong(0, number)
      update(joined)
    }
    MutableProjection.create(Seq(function.evaluateExpression), function.aggBufferAttributes)(buffer)
  }
}
