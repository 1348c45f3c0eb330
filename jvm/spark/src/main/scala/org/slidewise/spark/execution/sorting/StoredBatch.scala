package org.slidewise.spark.execution.sorting

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}
import org.apache.spark.unsafe.Platform

import org.slidewise.spark.execution.columns.{FieldSource, FieldVector, RowBatches, RowField}

/**
 * Returns stored rows and their results as batches, in one batch object that is reused. A field is loaded only when it is first
 * read.
 *
 * Memory: nine bytes for each value of [[RowBatches.MostRows]] rows; a copy of the logged rows, [[StoredBatch.FewBytes]] plus one
 * row.
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
  private[this] var located, held = false
  private[this] var copies = Array.emptyByteArray

  private[this] val sources: Array[FieldSource] =
    fields.input.indices.map { field =>
      if (fields.columnOf(field) >= 0) new ColumnField(field)
      else new LoggedField(fields.logged.indexOf(field))
    }.toArray
  if (places != null) vectors.take(fields.input.size).foreach(_.addresses(places.bases, places.offsets))

  /**
   * Moves to the rows from place `from` to at most before `until`. Returns the place after the last of these rows, at least `from
   * + 1`.
   */
  def take(from: Int, until: Int): Int = {
    first = from
    located = false
    held = false
    count = math.min(until - from, MostRows)
    if (differ) cut()
    if (results != null) count = results.evaluate(from, from + count, ofResults) - from
    sources.indices.foreach(field => vectors(field).await(sources(field)))
    batch.setNumRows(count)
    from + count
  }

  /** The current rows, in the reused batch object. */
  def rows: ColumnarBatch = batch

  /** Ends the batch with the row that reaches [[FewBytes]]. */
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

  /**
   * Copies the rows, since their texts point to them. A reader may keep a text of the batch while it asks for memory, which the
   * sorter then releases.
   */
  private def hold(): Unit = if (!held) {
    locate()
    val bytes = Iterator.range(0, count).map(places.sizeOf).sum
    if (copies.length < bytes) copies = new Array[Byte](bytes)
    var used = 0
    var row = 0
    while (row < count) {
      val size = places.sizeOf(row)
      val to = Platform.BYTE_ARRAY_OFFSET.toLong + used
      Platform.copyMemory(places.bases(row), places.offsets(row), copies, to, size.toLong)
      places.offsets(row) = to
      used += size
      row += 1
    }
    Arrays.fill(places.bases, 0, count, copies)
    held = true
  }

  /** Loads all fields, so that the sorter's memory can be released while the batch is in use. */
  def detach(): Unit = if (stored != null) {
    vectors.foreach(_.load())
    stored = null
    results = null
    places = null
  }

  /** A field that is stored in a column. */
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
    private[this] val isSized = !UnsafeRow.isFixedLength(fields.loggedAttributes(number).dataType)

    override def load(vector: FieldVector): Unit = {
      if (isSized) hold() else locate()
      found.load(vector)
    }
  }
}

private object StoredBatch {

  /**
   * The size of logged rows, in bytes, at which a batch is complete. A batch is read field by field, and should stay in the CPU
   * cache.
   */
  private final val FewBytes = 64 << 10
}
