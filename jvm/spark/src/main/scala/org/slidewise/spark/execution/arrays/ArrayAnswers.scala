package org.slidewise.spark.execution.arrays

import org.slidewise.core.kernels._
import org.slidewise.spark.planning.{ArrayFunction, ArrayKernel}

/**
 * The answers of one window expression for one partition after the other.
 *
 * Memory: eight bytes and a bit for each row of the largest partition so far, and what the kernel holds.
 *
 * @param input
 *   null if every row counts and its value is of no interest
 */
sealed abstract private[arrays] class ArrayAnswers(
    function: ArrayFunction,
    frames: PartitionFrames,
    input: Gathered
) {
  private[this] var words: Array[Long] = _
  private[this] var complete = true

  /** Which answers are not null, as in [[Validity]]; null if all are. */
  final def valid: Array[Long] = if (complete) null else words

  final protected def inputValid: Array[Long] = if (input == null) null else input.valid

  /** Works out the answers for the partition at the places `from until from + size`. */
  final def answer(from: Int, size: Int): Unit = {
    compute(from, size)
    complete = function.atLeast == 0 || inputValid == null && frames.neverEmpty && function.atLeast == 1
    if (!complete) {
      words = Gathered.room(words, Validity.words(size))
      complete = Validity.ofFrames(inputValid, frames.frames, function.atLeast, words)
    }
  }

  protected def compute(from: Int, size: Int): Unit
}

final private[arrays] class LongAnswers(function: ArrayFunction, frames: PartitionFrames, input: Gathered)
    extends ArrayAnswers(function, frames, input) {
  private[this] val kernel = function.kernel match {
    case ArrayKernel.LongSum(_) => LongKernels.sum()
    case ArrayKernel.LongMin    => LongKernels.min()
    case ArrayKernel.LongMax    => LongKernels.max()
    case _                      => null
  }
  private[this] var out: Array[Long] = _

  def answers: Array[Long] = out

  override protected def compute(from: Int, size: Int): Unit = {
    out = Gathered.room(out, size)
    if (kernel == null) new ValidCounts(inputValid, size).ofFrames(frames.frames, out)
    else {
      val values = input.longs(from, size)
      frames match {
        case rows: RowsFrames => kernel.rows(values, inputValid, size, rows.lower, rows.upper, out)
        case other            => kernel.frames(values, inputValid, other.frames, out)
      }
    }
  }
}

final private[arrays] class DoubleAnswers(function: ArrayFunction, frames: PartitionFrames, input: Gathered)
    extends ArrayAnswers(function, frames, input) {
  private[this] val (kernel, root) = function.kernel match {
    case ArrayKernel.DoubleSum            => (DoubleKernels.sum(), false)
    case ArrayKernel.DoubleMean           => (DoubleKernels.mean(), false)
    case ArrayKernel.DoubleMin            => (DoubleKernels.min(), false)
    case ArrayKernel.DoubleMax            => (DoubleKernels.max(), false)
    case ArrayKernel.Variance(lost, root) => (DoubleKernels.variance(lost), root)
    case other => throw new IllegalArgumentException(s"$other has no doubles for answers")
  }
  private[this] var out: Array[Double] = _

  def answers: Array[Double] = out

  override protected def compute(from: Int, size: Int): Unit = {
    out = Gathered.room(out, size)
    val values = input.doubles(from, size)
    frames match {
      case rows: RowsFrames => kernel.rows(values, inputValid, size, rows.lower, rows.upper, out)
      case other            => kernel.frames(values, inputValid, other.frames, out)
    }
    if (root) takeRoots(size)
  }

  private def takeRoots(size: Int): Unit = {
    var i = 0
    while (i < size) {
      out(i) = math.sqrt(out(i))
      i += 1
    }
  }
}

private[arrays] object ArrayAnswers {
  def apply(function: ArrayFunction, frames: PartitionFrames, input: Gathered): ArrayAnswers =
    function.kernel match {
      case ArrayKernel.ValueCount | ArrayKernel.LongSum(_) | ArrayKernel.LongMin | ArrayKernel.LongMax =>
        new LongAnswers(function, frames, input)
      case _ => new DoubleAnswers(function, frames, input)
    }
}
