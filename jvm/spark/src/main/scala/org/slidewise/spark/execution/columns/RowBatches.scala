package org.slidewise.spark.execution.columns

import java.util.Arrays

import scala.collection.AbstractIterator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}
import org.apache.spark.unsafe.Platform

import org.slidewise.spark.execution.blocks.BlockLayout
import org.slidewise.spark.execution.rows.RowBytes

/**
 * Converts rows to batches. A batch is valid until the next batch is requested.
 *
 * Memory: the rows of a batch, at most [[RowBatches.MostRows]] and [[RowBatches.FewBytes]] or one row, and nine bytes for each of
 * their values.
 */
final private[execution] class RowBatches(rows: Iterator[InternalRow], types: Seq[DataType])
    extends AbstractIterator[ColumnarBatch] {
  import RowBatches._

  private[this] val vectors = types.map(new FieldVector(_, MostRows)).toArray
  private[this] val batch = new ColumnarBatch(vectors.map(vector => vector: ColumnVector))
  private[this] val bases = new Array[AnyRef](MostRows)
  private[this] val offsets = new Array[Long](MostRows)
  private[this] var bytes = Array.emptyByteArray
  private[this] var count = 0
  private[this] val fields = types.indices.map(new RowField(types, _, bases, offsets, () => count))
  vectors.foreach(_.addresses(bases, offsets))

  override def hasNext: Boolean = rows.hasNext

  override def next(): ColumnarBatch = {
    count = 0
    var used = 0
    while (count < MostRows && used < FewBytes && rows.hasNext) {
      val row = rows.next().asInstanceOf[UnsafeRow]
      val end = used + row.getSizeInBytes
      if (end > bytes.length)
        bytes = Arrays.copyOf(bytes, math.max(end, math.min(2L * end, 2L * FewBytes).toInt))
      RowBytes.copy(row, bytes, Platform.BYTE_ARRAY_OFFSET + used.toLong)
      offsets(count) = Platform.BYTE_ARRAY_OFFSET + used.toLong
      used = end
      count += 1
    }
    Arrays.fill(bases, 0, count, bytes)
    vectors.indices.foreach(i => vectors(i).await(fields(i)))
    batch.setNumRows(count)
    batch
  }
}

private[execution] object RowBatches {

  /** The maximum number of rows of a batch. */
  final val MostRows = 1024

  /** The size in bytes at which a batch is complete. */
  final val FewBytes: Int = 256 << 10
}

/**
 * Reads a field of the rows at some addresses.
 *
 * @param types
 *   the types of the rows' fields
 * @param count
 *   the number of rows
 */
final private[execution] class RowField(
    types: Seq[DataType],
    field: Int,
    bases: Array[AnyRef],
    offsets: Array[Long],
    count: () => Int
) extends FieldSource {
  private[this] val words = new FieldWords(types(field))
  private[this] val ofNulls = (field >> 6) * BlockLayout.WordBytes
  private[this] val place =
    UnsafeRow.calculateBitSetWidthInBytes(types.size).toLong + field * BlockLayout.WordBytes

  override def load(vector: FieldVector): Unit = {
    val rows = count()
    var row = 0
    while (row < rows) {
      val base = bases(row)
      val offset = offsets(row)
      if ((Platform.getLong(base, offset + ofNulls) >>> field & 1L) != 0L) vector.setNull(row)
      vector.words(row) = words.ofRow(Platform.getLong(base, offset + place))
      row += 1
    }
  }
}
