package org.slidewise.spark.execution.arrays

import org.slidewise.core.kernels._
import org.slidewise.spark.execution.surroundings.ArrayValue
import org.slidewise.spark.plan.{ArrayFunction, ArrayKernel}

/**
 * The results of an aggregate function for the frames of one partition after the other.
 *
 * Memory: eight bytes and a bit for each row of the largest partition so far, and the memory of the kernel.
 *
 * @param atLeast
 *   the number of values that a frame must hold for the result not to be null
 * @param input
 *   the aggregated column; null if every row counts, whatever its value
 * @param surroundings
 *   the partial aggregates of rows that frames hold and the task does not evaluate
 */
abstract private[arrays] class AggregateResult(
    atLeast: Int,
    frames: PartitionFrames,
    input: PartitionColumn,
    surroundings: FunctionSurroundings
) {
  private[this] var words: Array[Long] = _
  private[this] var complete = true

  final def valid: Array[Long] = if (complete) null else words

  final protected def inputValid: Array[Long] = if (input == null) null else input.valid

  final def evaluate(size: Int, first: Int, until: Int): Long = {
    compute(size)
    complete = atLeast == 0 || inputValid == null && frames.neverEmpty && atLeast == 1
    if (!complete) {
      words = PartitionColumn.room(words, Validity.words(size))
      complete = Validity.ofFrames(inputValid, frames.frames, atLeast, words)
    }
    val recalculated = correct(size, first, until)
    if (hasSurroundings) {
      addSurroundings(size, surroundings.before, isBefore = true)
      addSurroundings(size, surroundings.after, isBefore = false)
      finish(size, surroundings.count)
    }
    var row = frames.nextWithout(0)
    while (row >= 0) {
      if (atLeast == 0) putZero(row) else setNull(row, size)
      row = frames.nextWithout(row + 1)
    }
    recalculated
  }

  /** Sets the result for `row` to zero, the result over no rows of functions that are never null. */
  protected def putZero(row: Int): Unit

  /** Whether frames hold values of rows that the task does not evaluate. */
  final protected def hasSurroundings: Boolean = surroundings.before != null || surroundings.after != null

  private def addSurroundings(size: Int, value: ArrayValue, isBefore: Boolean): Unit = if (value != null) {
    join(size, value, isBefore)
    if (!complete) putMissing(size, value)
    complete = true
  }

  private def putMissing(size: Int, value: ArrayValue): Unit = {
    var i = 0
    while (i < size) {
      if (!Validity.at(words, i)) put(i, value)
      i += 1
    }
  }

  /** Combines the result of each frame that has values with `value`, which is older if `isBefore`. */
  protected def join(size: Int, value: ArrayValue, isBefore: Boolean): Unit =
    throw new IllegalStateException("frames of this function hold no values of other tasks")

  /** Completes the results after [[join]]. */
  protected def finish(size: Int, surroundingValues: Long): Unit = ()

  /** Sets the result for `row` to `value`. */
  protected def put(row: Int, value: ArrayValue): Unit = ()

  protected def compute(size: Int): Unit

  protected def correct(size: Int, first: Int, until: Int): Long = 0L

  final protected def setNull(row: Int, size: Int): Unit = {
    if (complete) {
      words = PartitionColumn.room(words, Validity.words(size))
      java.util.Arrays.fill(words, -1L)
      complete = false
    }
    words(row >>> 6) &= ~(1L << row)
  }
}

final private[arrays] class LongAggregate(
    function: ArrayFunction.Aggregate,
    frames: PartitionFrames,
    input: PartitionColumn,
    surroundings: FunctionSurroundings,
    checkpoint: () => Unit
) extends AggregateResult(function.atLeast, frames, input, surroundings)
    with LongResult {

  private[this] val kernel = function.kernel match {
    case ArrayKernel.SumLongs(_) | _: ArrayKernel.OfDecimals => LongKernels.sum()
    case ArrayKernel.MinLongs                                => LongKernels.min()
    case ArrayKernel.MaxLongs                                => LongKernels.max()
    case _                                                   => null
  }
  private[this] val checked = function.kernel match {
    case ArrayKernel.SumLongs(checked) => checked
    case _                             => None
  }
  private[this] val sums = checked.map(new CheckedLongSums(_, checkpoint)).orNull
  private[this] var isChecked = false
  private[this] var out: Array[Long] = _

  override def values: Array[Long] = out

  override protected def compute(size: Int): Unit = {
    out = PartitionColumn.room(out, size)
    if (kernel == null) new ValidCounts(inputValid, frames.elements).ofFrames(frames.frames, out)
    else
      frames match {
        case rows: RowsFrames => kernel.rows(input.longs, inputValid, size, rows.lower, rows.upper, out)
        case other            => kernel.frames(input.longs, inputValid, other.frames, out)
      }
  }

  override protected def correct(size: Int, first: Int, until: Int): Long = {
    isChecked =
      sums != null && !LongKernels.cannotOverflow(input.longs, inputValid, frames.elements, frames.widest)
    if (!hasSurroundings) finish(size, 0L)
    if (isChecked) sums.correct(input.longs, inputValid, frames.frames, first, until, out)(setNull(_, size))
    else 0L
  }

  override protected def finish(size: Int, surroundingValues: Long): Unit = function.kernel match {
    case ArrayKernel.MeanDecimals(factor) =>
      val counts = new ValidCounts(inputValid, frames.elements)
      Decimals.divide(out, size, frames, counts, surroundingValues, factor)
    case _ =>
  }

  override protected def join(size: Int, value: ArrayValue, isBefore: Boolean): Unit =
    function.kernel match {
      case ArrayKernel.MinLongs => Constants.min(out, size, value.long)
      case ArrayKernel.MaxLongs => Constants.max(out, size, value.long)
      case _                    => Constants.add(out, size, value.long)
    }

  override protected def put(row: Int, value: ArrayValue): Unit = out(row) = value.long
  override protected def putZero(row: Int): Unit = out(row) = 0L

  override def failsAt: Int = if (isChecked) sums.failsAt else Int.MaxValue
  override def failure: ArithmeticException = if (isChecked) sums.failure else null
}

final private[arrays] class DoubleAggregate(
    function: ArrayFunction.Aggregate,
    frames: PartitionFrames,
    input: PartitionColumn,
    surroundings: FunctionSurroundings
) extends AggregateResult(function.atLeast, frames, input, surroundings)
    with DoubleResult {

  private[this] val (own, root) = function.kernel match {
    case ArrayKernel.SumDoubles           => (DoubleKernels.sum(), false)
    case ArrayKernel.MeanDoubles          => (DoubleKernels.mean(), false)
    case ArrayKernel.MinDoubles           => (DoubleKernels.min(), false)
    case ArrayKernel.MaxDoubles           => (DoubleKernels.max(), false)
    case ArrayKernel.Variance(lost, root) => (DoubleKernels.variance(lost), root)
    case other => throw new IllegalArgumentException(s"$other does not evaluate to doubles")
  }
  private[this] val isMean = function.kernel == ArrayKernel.MeanDoubles
  private[this] lazy val sums = DoubleKernels.sum()
  private[this] var out: Array[Double] = _

  override def values: Array[Double] = out

  override protected def compute(size: Int): Unit = {
    out = PartitionColumn.room(out, size)
    val kernel = if (isMean && hasSurroundings) sums else own
    frames match {
      case rows: RowsFrames => kernel.rows(input.doubles, inputValid, size, rows.lower, rows.upper, out)
      case other            => kernel.frames(input.doubles, inputValid, other.frames, out)
    }
    if (root) takeRoots(size)
  }

  override protected def join(size: Int, value: ArrayValue, isBefore: Boolean): Unit =
    function.kernel match {
      case ArrayKernel.MinDoubles => Constants.min(out, size, value.double, isBefore)
      case ArrayKernel.MaxDoubles => Constants.max(out, size, value.double, isBefore)
      case _                      => Constants.add(out, size, value.double)
    }

  override protected def put(row: Int, value: ArrayValue): Unit = out(row) = value.double
  override protected def putZero(row: Int): Unit = out(row) = 0.0

  override protected def finish(size: Int, surroundingValues: Long): Unit = if (isMean) {
    val counts = new ValidCounts(inputValid, frames.elements)
    val lo = frames.frames.lo
    val hi = frames.frames.hi
    var i = 0
    while (i < size) {
      out(i) /= counts.between(lo(i), hi(i)) + surroundingValues
      i += 1
    }
  }

  private def takeRoots(size: Int): Unit = {
    var i = 0
    while (i < size) {
      out(i) = math.sqrt(out(i))
      i += 1
    }
  }
}

private[arrays] object AggregateResult {

  /** @param checkpoint called periodically while frames are recalculated; may throw to cancel */
  def apply(
      function: ArrayFunction.Aggregate,
      frames: PartitionFrames,
      input: PartitionColumn,
      surroundings: FunctionSurroundings,
      checkpoint: () => Unit
  ): PartitionResult =
    function.kernel match {
      case kernel if kernel.isOfLongs => new LongAggregate(function, frames, input, surroundings, checkpoint)
      case _                          => new DoubleAggregate(function, frames, input, surroundings)
    }
}
