package org.slidewise.spark.execution.arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.types.LongType

import org.slidewise.core.batch.Frames
import org.slidewise.core.kernels.Validity

/**
 * Recalculates the frames whose running sum could exceed 64 bits, in Spark's order and with Spark's own expressions. Returns the
 * same error, or null for `try_sum`.
 *
 * The kernel's sum of a frame is exact if the magnitudes of the frame's values add up to no more than a long holds. These sums of
 * magnitudes slide with the frames in 128 bits, exactly: O(1) a row, no memory. A frame that is recalculated costs its length, or
 * the number of rows added since the last recalculated frame if both start at the same row.
 *
 * @param checkpoint
 *   called every [[CheckedLongSums.CheckEvery]] values that are added again; may throw to cancel
 */
final private[arrays] class CheckedLongSums(function: DeclarativeAggregate, checkpoint: () => Unit) {
  private[this] var added = 0L

  // Lazy, because it generates code that few queries need.
  private[this] lazy val sums = new SparkSums(function)

  // The rows that `buffer` holds.
  private[this] var addedFrom, addedUntil = -1

  // The sum of the magnitudes of the frame's values, as an unsigned number of 128 bits.
  private[this] var high, low = 0L

  private def fits: Boolean = high == 0L && low >= 0L

  private def enter(magnitude: Long): Unit = {
    low += magnitude
    if (java.lang.Long.compareUnsigned(low, magnitude) < 0) high += 1
  }

  private def leave(magnitude: Long): Unit = {
    if (java.lang.Long.compareUnsigned(low, magnitude) < 0) high -= 1
    low -= magnitude
  }

  /** The error of the first frame that fails, and its number; null and `Int.MaxValue` if none does. */
  private[this] var error: ArithmeticException = _
  private[this] var failed = Int.MaxValue

  def failsAt: Int = failed
  def failure: ArithmeticException = error

  /**
   * Corrects the sums of the frames from `first` to before `until`. Stops at the first frame that fails, whose result may never
   * be requested.
   *
   * @param out
   *   the sums of the kernel
   * @param setNull
   *   called for each frame whose result is null because its sum overflows
   * @return
   *   the number of frames that were recalculated
   */
  def correct(
      values: Array[Long],
      valid: Array[Long],
      frames: Frames,
      first: Int,
      until: Int,
      out: Array[Long]
  )(setNull: Int => Unit): Long = {
    high = 0L
    low = 0L
    addedFrom = -1
    failed = Int.MaxValue
    error = null
    var recalculated = 0L
    // Rows that only earlier frames hold are not read again.
    var lo = if (first < until) frames.lo(first) else 0
    var hi = lo
    var k = first
    while (k < until && error == null) {
      while (hi < frames.hi(k)) {
        enter(magnitude(values, valid, hi))
        hi += 1
      }
      while (lo < frames.lo(k)) {
        leave(magnitude(values, valid, lo))
        lo += 1
      }
      if (!fits) {
        recalculated += 1
        try {
          val result = recalculate(values, valid, frames.lo(k), frames.hi(k))
          if (result.isNullAt(0)) setNull(k) else out(k) = result.getLong(0)
        } catch {
          case overflow: ArithmeticException =>
            failed = k
            error = overflow
        }
      }
      k += 1
    }
    recalculated
  }

  /** The magnitude of a value as an unsigned number, so that the magnitude of `Long.MinValue` is exact. Zero for a null. */
  private def magnitude(values: Array[Long], valid: Array[Long], row: Int): Long =
    if (valid != null && !Validity.at(valid, row)) 0L else math.abs(values(row))

  /** The result of the rows `lo until hi`; continues from the last result if the frame has only grown. */
  private def recalculate(values: Array[Long], valid: Array[Long], lo: Int, hi: Int): InternalRow = {
    if (lo != addedFrom || hi < addedUntil) {
      sums.clear()
      addedFrom = lo
      addedUntil = lo
    }
    var row = addedUntil
    while (row < hi) {
      if (valid == null || Validity.at(valid, row)) {
        sums.add(values(row))
      }
      row += 1
      added += 1
      if (added % CheckedLongSums.CheckEvery == 0) checkpoint()
    }
    addedUntil = hi
    sums.result()
  }
}

/** Computes a sum with Spark's own expressions. */
final private class SparkSums(function: DeclarativeAggregate) {
  private[this] val value = AttributeReference("value", LongType, nullable = false)()
  private[this] val sum = function.withNewChildren(Seq(value)).asInstanceOf[DeclarativeAggregate]
  private[this] val buffer = new SpecificInternalRow(sum.aggBufferAttributes.map(_.dataType))
  private[this] val input = new SpecificInternalRow(Seq(LongType))
  private[this] val joined = new JoinedRow(buffer, input)
  private[this] val toNone = MutableProjection.create(sum.initialValues, Nil).target(buffer)
  private[this] val update =
    MutableProjection.create(sum.updateExpressions, sum.aggBufferAttributes :+ value).target(buffer)
  private[this] val evaluate =
    MutableProjection.create(Seq(sum.evaluateExpression), sum.aggBufferAttributes)

  def clear(): Unit = toNone(EmptyRow): Unit

  def add(value: Long): Unit = {
    input.setLong(0, value)
    update(joined): Unit
  }

  def result(): InternalRow = evaluate(buffer)
}

private[arrays] object CheckedLongSums {
  val CheckEvery = 4096
}
