package org.slidewise.spark.execution.arrays

import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeRow}
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.unsafe.Platform

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
  private[this] val block = new Array[Byte](Together * size)
  private[this] val bases = Array.fill[AnyRef](Together)(block)
  private[this] val offsets = Array.tabulate(Together)(i => Platform.BYTE_ARRAY_OFFSET + i.toLong * size)
  private[this] val written = new UnsafeRow(results.size)

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
    if (i < first || i >= until) write(i, math.min(i + Together, ready))
    written.pointTo(block, offsets(i - first), size)
    joiner.join(row, written)
  }

  private def write(from: Int, end: Int): Unit = {
    first = from
    until = end
    java.util.Arrays.fill(block, 0.toByte)
    writers.foreach(_.write(first, 0, until - first, bases, offsets))
  }
}

private[arrays] object ResultJoiner {
  private final val Together = 128
}
