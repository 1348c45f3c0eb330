package org.slidewise.spark.execution.blocks

import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

/**
 * Reads the values of batches.
 *
 * Memory: a reference for each variable-length value of the rows that were read last.
 */
final private[blocks] class BatchValues(layout: BlockLayout) {
  private[this] val readers = layout.sized.map(VectorReader.ofBytes(layout, _))
  private[this] val found = Array.fill(readers.length)(Array.empty[UTF8String])
  private[this] var count = 0
  private[this] var next = BatchValues.FirstRows // the maximum number of rows of the next read

  /** The readers of [[BlockLayout.fixed]]. */
  val ofWords: Array[VectorReader.OfWords] = layout.fixed.map(VectorReader.ofWords(layout, _))

  /** The number of rows whose values were read. */
  def rows: Int = count

  /** The values of one of [[BlockLayout.sized]], as long as the batch holds them. */
  def values(sized: Int): Array[UTF8String] = found(sized)

  /**
   * Reads the variable-length values of at most `most` rows from row `from` on. Reads fewer rows, but at least one, if values
   * would exceed [[BlockDecoder.MostBytes]]. Returns the size of the values in bytes.
   */
  def readValues(batch: ColumnarBatch, from: Int, most: Int): Long = {
    val asked = math.min(most, next)
    readers.indices.foreach { i =>
      if (found(i).length < asked) found(i) = new Array[UTF8String](asked)
      readers(i).read(batch, from, asked, found(i))
    }
    var (bytes, row) = (0L, 0)
    while (row < asked && (row == 0 || bytes + sizeOf(row) <= BlockDecoder.MostBytes)) {
      bytes += sizeOf(row)
      row += 1
    }
    count = row
    next = if (row < asked) row else math.min(BlockDecoder.MostRows, 2 * next)
    bytes
  }

  private def sizeOf(row: Int): Long = {
    var (bytes, i) = (0L, 0)
    while (i < found.length) {
      if (found(i)(row) != null) bytes += found(i)(row).numBytes
      i += 1
    }
    bytes
  }
}

private object BatchValues {
  private val FirstRows = 256
}
