package org.slidewise.spark.execution.arrays

import java.lang.Double.doubleToRawLongBits
import java.lang.Float.floatToRawIntBits

import org.apache.spark.sql.types._

import org.slidewise.core.kernels.Validity
import org.slidewise.spark.execution.columns.FieldVector

/** Writes the results of one window expression into vectors of their type. */
final private[arrays] class ResultWriter(results: PartitionResult, result: DataType) {

  /**
   * Writes results of the partition to the rows `from` to before `until` of `into`.
   *
   * @param shift
   *   the number of a row's result, minus the number of the row
   */
  def write(shift: Int, from: Int, until: Int, into: FieldVector): Unit = {
    results match {
      case longs: LongResult     => writeLongs(longs.values, shift, from, until, into.words)
      case doubles: DoubleResult => writeDoubles(doubles.values, shift, from, until, into.words)
    }
    if (results.valid != null) writeNulls(results.valid, shift, from, until, into)
  }

  private def writeLongs(values: Array[Long], shift: Int, from: Int, until: Int, words: Array[Long]): Unit =
    System.arraycopy(values, shift + from, words, from, until - from)

  private def writeDoubles(
      values: Array[Double],
      shift: Int,
      from: Int,
      until: Int,
      words: Array[Long]
  ): Unit = {
    var i = from
    if (result == FloatType) while (i < until) {
      words(i) = floatToRawIntBits(values(shift + i).toFloat).toLong
      i += 1
    }
    else
      while (i < until) {
        words(i) = doubleToRawLongBits(values(shift + i))
        i += 1
      }
  }

  private def writeNulls(valid: Array[Long], shift: Int, from: Int, until: Int, into: FieldVector): Unit = {
    var i = from
    while (i < until) {
      if (!Validity.at(valid, shift + i)) into.setNull(i)
      i += 1
    }
  }
}
