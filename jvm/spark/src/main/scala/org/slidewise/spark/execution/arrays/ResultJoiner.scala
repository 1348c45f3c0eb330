package org.slidewise.spark.execution.arrays

import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.unsafe.Platform

import org.slidewise.spark.execution.columns.{FieldVector, FieldWords, WideDecimals}
import org.slidewise.spark.plan.StateTypes

/**
 * Joins rows with their results. The results of a batch of rows are written at once.
 *
 * @param input
 *   the attributes of a row
 * @param results
 *   the attributes of the results, all of fixed size or decimals
 */
final private[arrays] class ResultJoiner(input: Seq[Attribute], results: Seq[Attribute]) {
  import ResultJoiner.Together

  private[this] val joiner =
    GenerateUnsafeRowJoiner.create(DataTypeUtils.fromAttributes(input), DataTypeUtils.fromAttributes(results))
  private[this] val fixed = UnsafeRow.calculateBitSetWidthInBytes(results.size) + 8 * results.size
  private[this] val places = WideDecimals.places(results.map(result => StateTypes.isWide(result.dataType)))
  private[this] val size = fixed + WideDecimals.Bytes * places.count(_ >= 0)
  private[this] val written = new UnsafeRow(results.size)
  written.pointTo(new Array[Byte](size), size)
  private[this] val vectors = results.map(r => new FieldVector(r.dataType, Together)).toArray
  private[this] val words = results.map(r => new FieldWords(r.dataType)).toArray

  private[this] var writers: Array[ResultWriter] = _
  private[this] var first, until = 0

  /** Switches to other writers of results. */
  def begin(newWriters: Array[ResultWriter]): Unit = {
    writers = newWriters
    first = 0
    until = 0
  }

  /**
   * The row with its results, in a row object that is reused.
   *
   * @param i
   *   the row's place in its partition
   * @param ready
   *   the first place without results so far
   */
  def apply(row: UnsafeRow, i: Int, ready: Int): UnsafeRow = {
    if (i < first || i >= until) evaluate(i, math.min(i + Together, ready))
    var r = 0
    while (r < vectors.length) {
      val isNull = vectors(r).isNullAt(i - first)
      val word = vectors(r).words(i - first)
      if (isNull) written.setNullAt(r) else written.setNotNullAt(r)
      if (places(r) >= 0) putWide(r, isNull, word)
      else if (!isNull) written.setLong(r, words(r).inRow(word))
      r += 1
    }
    joiner.join(row, written)
  }

  /** Writes a wide decimal. For a null, clears the decimal's bytes, so that equal rows have equal bytes. */
  private def putWide(result: Int, isNull: Boolean, unscaled: Long): Unit = {
    val (base, row, place) = (written.getBaseObject, written.getBaseOffset, fixed + places(result))
    val word =
      if (isNull) WideDecimals.clear(base, row, place) else WideDecimals.write(unscaled, base, row, place)
    Platform.putLong(base, row + fixed - 8 * (results.size - result), word)
  }

  private def evaluate(from: Int, end: Int): Unit = {
    first = from
    until = end
    var r = 0
    while (r < vectors.length) {
      vectors(r).clearNulls()
      writers(r).write(first, 0, until - first, vectors(r))
      r += 1
    }
  }
}

private[arrays] object ResultJoiner {
  private final val Together = 128
}
