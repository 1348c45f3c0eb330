package org.slidewise.spark.execution.arrays

import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner
import org.apache.spark.sql.catalyst.types.DataTypeUtils

import org.slidewise.spark.execution.columns.{FieldVector, FieldWords}

/**
 * Joins rows with their results. The results of a batch of rows are written at once.
 *
 * @param input
 *   the attributes of a row
 * @param results
 *   the attributes of the results, all of fixed size
 */
final private[arrays] class ResultJoiner(input: Seq[Attribute], results: Seq[Attribute]) {
  import ResultJoiner.Together

  private[this] val joiner =
    GenerateUnsafeRowJoiner.create(DataTypeUtils.fromAttributes(input), DataTypeUtils.fromAttributes(results))
  private[this] val size = UnsafeRow.calculateBitSetWidthInBytes(results.size) + 8 * results.size
  private[this] val written = new UnsafeRow(results.size)
  written.pointTo(new Array[Byte](size), size)
  private[this] val vectors = results.map(r => new FieldVector(r.dataType, Together)).toArray
  private[this] val words = results.map(r => new FieldWords(r.dataType)).toArray

  private[this] var writers: Array[ResultWriter] = _
  private[this] var first, until = 0

  /** Takes the results from other writers from now on. */
  def begin(newWriters: Array[ResultWriter]): Unit = {
    writers = newWriters
    first = 0
    until = 0
  }

  /**
   * The row with its results; the same object each time.
   *
   * @param i
   *   the row's place in its partition
   * @param ready
   *   the place from which on there are no results yet
   */
  def apply(row: UnsafeRow, i: Int, ready: Int): UnsafeRow = {
    if (i < first || i >= until) evaluate(i, math.min(i + Together, ready))
    var r = 0
    while (r < vectors.length) {
      if (vectors(r).isNullAt(i - first)) written.setNullAt(r)
      else {
        written.setNotNullAt(r)
        written.setLong(r, words(r).inRow(vectors(r).words(i - first)))
      }
      r += 1
    }
    joiner.join(row, written)
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
