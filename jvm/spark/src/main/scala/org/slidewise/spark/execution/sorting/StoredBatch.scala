package org.slidewise.spark.execution.sorting

import java.util.Arrays

import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}
import org.apache.spark.unsafe.Platform

import org.slidewise.spark.execution.columns.{FieldSource, FieldVector, RowBatches, RowField}

/**
 * Stored rows and their results as a batch, again and again. A field is read when it is first asked for, and not if nobody does.
 *
 * Memory: nine bytes for each value of [[RowBatches.MostRows]] rows.
 *
 * @param results
 *   evaluates the results; null if there are none
 */
final private[sorting] class StoredBatch(
    private[this] var stored: StoredRows,
    private[this] var results: SortedResults,
    resultTypes: Seq[DataType]
) {
  import RowBatches.MostRows
  import StoredBatch.FewBytes

  private[this] val fields = stored.fields
  private[this] val vectors = (fields.types ++ resultTypes).map(new FieldVector(_, MostRows)).toArray
  private[this] val ofResults = vectors.drop(fields.input.size)
  private[this] val batch = new ColumnarBatch(vectors.map(vector => vector: ColumnVector))
  private[this] val differ = fields.logged.nonEmpty && stored.log.bytesARow < 0
  private[this] var places = stored.places(MostRows)
  private[this] var first, count = 0
  private[this] var located = false

  private[this] val sources: Array[FieldSource] =
    fields.input.indices.map { field =>
      if (fields.columnOf(field) >= 0) new ColumnField(field)
      else new LoggedField(fields.logged.indexOf(field))
    }.toArray
  if (places != null) vectors.take(fields.input.size).foreach(_.addresses(places.bases, places.offsets))

  /** Turns to the rows from the place `from` on, at most up to `until`. Returns one past the last; at least `from + 1`. */
  def take(from: Int, until: Int): Int = {
    first = from
    located = false
    count = math.min(until - from, MostRows)
    if (differ) cut()
    if (results != null) count = results.evaluate(from, from + count, ofResults) - from
    sources.indices.foreach(field => vectors(field).await(sources(field)))
    batch.setNumRows(count)
    from + count
  }

  /** The rows; the same object each time. */
  def rows: ColumnarBatch = batch

  /** Leaves out rows past [[FewBytes]]. */
  private def cut(): Unit = {
    locate()
    var bytes = 0L
    var row = 0
    while (row < count && bytes < FewBytes) {
      bytes += places.sizeOf(row)
      row += 1
    }
    count = row
  }

  private def locate(): Unit = if (!located) {
    places.locate(first, first + count)
    places.prefetch(count)
    located = true
  }

  /** Copies what the rows still need of the sorter's memory, which then can be given back. */
  def detach(): Unit = if (stored != null) {
    vectors.foreach(_.load())
    if (differ && count > 0) {
      val bytes = new Array[Byte](Iterator.range(0, count).map(places.sizeOf).sum)
      var used = 0
      var row = 0
      while (row < count) {
        val size = places.sizeOf(row)
        val to = Platform.BYTE_ARRAY_OFFSET.toLong + used
        Platform.copyMemory(places.bases(row), places.offsets(row), bytes, to, size.toLong)
        places.offsets(row) = to
        used += size
        row += 1
      }
      Arrays.fill(places.bases, 0, count, bytes)
    }
    stored = null
    results = null
    places = null
  }

  /** A field that a column has. */
  final private class ColumnField(field: Int) extends FieldSource {
    override def load(vector: FieldVector): Unit = {
      val column = fields.columnOf(field)
      val (columns, order, flip) = (stored.columns, stored.order, fields.flips(field))
      val (values, words) = (columns(column), vector.words)
      var row = 0
      while (row < count) {
        words(row) = values(order(first + row)) ^ flip
        row += 1
      }
      row = 0
      if (columns.anyNull(column)) while (row < count) {
        if (columns.isNull(column, order(first + row))) vector.setNull(row)
        row += 1
      }
    }
  }

  /** A field of the rows in the log. */
  final private class LoggedField(number: Int) extends FieldSource {
    private[this] val found =
      new RowField(fields.loggedAttributes.map(_.dataType), number, places.bases, places.offsets, () => count)

    override def load(vector: FieldVector): Unit = {
      locate()
      found.load(vector)
    }
  }
}

private object StoredBatch {

  /** A batch with as many bytes of rows in the log gets no more: it is read field by field, and should stay in the cache. */
  private final val FewBytes = 64 << 10
}
