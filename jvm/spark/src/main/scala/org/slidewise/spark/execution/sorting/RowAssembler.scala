package org.slidewise.spark.execution.sorting

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.Platform

import org.slidewise.spark.execution.blocks.BlockLayout
import org.slidewise.spark.execution.blocks.BlockLayout.WordBytes
import org.slidewise.spark.execution.columns.{FieldVector, FieldWords, WideDecimals}
import org.slidewise.spark.plan.StateTypes

/**
 * Assembles rows from stored rows and their results, column by column.
 *
 * Memory: [[RowPlaces.Together]] rows with their results, at most [[LoggedFields.FewBytes]] plus one row.
 *
 * @param results
 *   evaluates the results; null if there are none
 */
final private[sorting] class RowAssembler(
    stored: StoredRows,
    results: SortedResults,
    resultTypes: Seq[DataType]
) extends RowStretch {
  import RowPlaces.Together

  private[this] val fields = stored.fields
  private[this] val types = fields.types ++ resultTypes
  private[this] val wide = WideDecimals.places(resultTypes.map(StateTypes.isWide))
  private[this] val target =
    new AssembledRows(new BlockLayout(types.toArray), Together, WideDecimals.Bytes * wide.count(_ >= 0))
  private[this] val words = types.map(new FieldWords(_)).toArray
  private[this] val vectors = resultTypes.map(new FieldVector(_, Together)).toArray
  private[this] val inLog = if (fields.logged.isEmpty) null else new LoggedFields(stored, target)
  private[this] var first = 0

  override def prepare(from: Int, until: Int): Int = {
    first = from
    begin(from, math.min(until, from + Together))
    if (results != null) {
      val end = from + target.count
      val evaluated = results.evaluate(from, end, vectors)
      if (evaluated < end) begin(from, evaluated) // the next row fails
    }
    fields.columnOf.indices.foreach(field => if (fields.columnOf(field) >= 0) writeColumn(field))
    if (inLog != null) inLog.write()
    vectors.indices.foreach(writeResult)
    from + target.count
  }

  private def begin(from: Int, until: Int): Unit =
    if (inLog == null) target.beginOfOneSize(until - from) else inLog.begin(from, until)

  private def writeColumn(field: Int): Unit = {
    val column = fields.columnOf(field)
    val (values, order, flip, inRow) =
      (stored.columns(column), stored.order, fields.flips(field), words(field))
    val nullable = stored.columns.anyNull(column)
    var row = 0
    while (row < target.count) {
      val number = order(first + row)
      if (nullable && stored.columns.isNull(column, number)) target.putNull(field, row)
      else target.put(field, row, inRow.inRow(values(number) ^ flip))
      row += 1
    }
  }

  private def writeResult(result: Int): Unit = {
    val field = fields.input.size + result
    val (vector, inRow) = (vectors(result), words(field))
    val nullable = vector.hasNull
    var row = 0
    while (row < target.count) {
      if (wide(result) >= 0)
        target.putWide(field, row, wide(result), nullable && vector.isNullAt(row), vector.words(row))
      else if (nullable && vector.isNullAt(row)) target.putNull(field, row)
      else target.put(field, row, inRow.inRow(vector.words(row)))
      row += 1
    }
  }

  override def pointTo(row: UnsafeRow, place: Int): Unit = target.pointTo(row, place - first)
}

/**
 * A buffer of consecutive rows that are written field by field.
 *
 * @param tail
 *   the bytes of each row's [[WideDecimals]], after all other values
 */
final private[sorting] class AssembledRows(val layout: BlockLayout, most: Int, tail: Int) {
  private[this] val starts = new Array[Int](most + 1)
  private[this] var rows = Array.emptyByteArray
  private[this] var made = 0

  /** The number of rows. */
  def count: Int = made

  /** The bytes of the rows so far. */
  def bytes: Int = starts(made)

  /** Removes all rows. */
  def clear(): Unit = made = 0

  /** Adds a row with `more` bytes for variable-length values. */
  def add(more: Int): Unit = {
    starts(made + 1) = starts(made) + layout.fixedBytes + more + tail
    made += 1
  }

  /** Makes room for the rows that were added, and clears their null bits. */
  def begin(): Unit = {
    if (rows.length < bytes) rows = new Array[Byte](bytes)
    var row = 0
    while (row < made) {
      var lane = 0
      while (lane < layout.nullLanes) {
        Platform.putLong(rows, placeOf(row) + lane * WordBytes, 0L)
        lane += 1
      }
      row += 1
    }
  }

  /** Replaces all rows by `count` rows without variable-length values. */
  def beginOfOneSize(count: Int): Unit = {
    clear()
    while (made < count) add(0)
    begin()
  }

  private def placeOf(row: Int): Long = Platform.BYTE_ARRAY_OFFSET.toLong + starts(row)

  def put(field: Int, row: Int, word: Long): Unit =
    Platform.putLong(rows, placeOf(row) + (layout.nullLanes + field) * WordBytes, word)

  def setNull(field: Int, row: Int): Unit = {
    val at = placeOf(row) + (field >> 6) * WordBytes
    Platform.putLong(rows, at, Platform.getLong(rows, at) | 1L << field)
  }

  def putNull(field: Int, row: Int): Unit = {
    setNull(field, row)
    put(field, row, 0L)
  }

  /** Writes a wide decimal or a null. The decimal's bytes begin `at` bytes into the row's tail. */
  def putWide(field: Int, row: Int, at: Int, isNull: Boolean, unscaled: Long): Unit = {
    val place = starts(row + 1) - starts(row) - tail + at
    if (isNull) setNull(field, row)
    val word =
      if (isNull) WideDecimals.clear(rows, placeOf(row), place)
      else WideDecimals.write(unscaled, rows, placeOf(row), place)
    put(field, row, word)
  }

  /** Copies the bytes of a row's variable-length values, except for the tail. */
  def putValues(row: Int, base: AnyRef, offset: Long): Unit = Platform.copyMemory(
    base,
    offset,
    rows,
    placeOf(row) + layout.fixedBytes,
    starts(row + 1).toLong - starts(row) - layout.fixedBytes - tail
  )

  def pointTo(row: UnsafeRow, number: Int): Unit =
    row.pointTo(rows, placeOf(number), starts(number + 1) - starts(number))
}
