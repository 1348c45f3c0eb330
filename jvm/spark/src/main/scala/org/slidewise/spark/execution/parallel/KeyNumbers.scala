package org.slidewise.spark.execution.parallel

import java.nio.ByteBuffer
import java.util.Arrays

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.NullType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.Platform

import org.slidewise.core.selection.LongNumbers
import org.slidewise.spark.execution.sorting.GroupNumbers
import org.slidewise.spark.plan.{StateTypes, WindowKeys}

/** Numbers the partition keys of rows in the order in which they first appear. Not safe for concurrent use. */
sealed abstract private[parallel] class KeyNumbers {

  /** The number of keys. */
  def size: Int

  /** The memory held, in bytes. */
  def bytes: Long

  /** The number of a row's key. */
  def of(row: InternalRow): Int

  /** The numbers of the keys of a batch's rows, valid until the next call. */
  def of(batch: ColumnarBatch): Array[Int]

  /** The number of a key, given its bytes from [[keys]], perhaps from another task. */
  def ofBytes(key: Array[Byte]): Int

  /** The bytes of each key, by its number. */
  def keys: Array[Array[Byte]]
}

private[parallel] object KeyNumbers {

  /**
   * @param input
   *   the attributes of a row
   */
  def of(partition: Seq[Expression], input: Seq[Attribute]): KeyNumbers = {
    val keys = WindowKeys.asBytes(partition)
    val ofRows = keys match {
      case Seq(key) if StateTypes.isFixedWidth(key.dataType) && key.dataType != NullType =>
        new WordNumbers(key, input)
      case keys => new RowNumbers(keys, input)
    }
    val columns = keys.map(key => input.indexWhere(_.semanticEquals(key)))
    if (columns.isEmpty || columns.exists(_ < 0)) ofRows
    else new ColumnNumbers(ofRows, columns.toArray, input)
  }
}

/** Numbers keys row by row. */
sealed abstract private class NumbersByRow extends KeyNumbers {
  private[this] var ofBatch = Array.emptyIntArray

  final override def of(batch: ColumnarBatch): Array[Int] = {
    if (ofBatch.length < batch.numRows) ofBatch = new Array[Int](batch.numRows)
    var row = 0
    while (row < batch.numRows) {
      ofBatch(row) = of(batch.getRow(row))
      row += 1
    }
    ofBatch
  }
}

/**
 * Numbers keys that are columns. In a batch, it reads the columns one after the other, and builds a key only for a new combination
 * of values.
 *
 * Memory: that of `ofRows` and, once a batch has been read, of the columns, and 70 bytes a key for each column.
 *
 * @param places
 *   the positions of the columns in `input`
 */
final private class ColumnNumbers(ofRows: NumbersByRow, places: Array[Int], input: Seq[Attribute])
    extends KeyNumbers {
  import ColumnNumbers._

  // Readers of single rows need none of the columns.
  private[this] lazy val columns = places.map(ColumnCodes.of(input, _))
  private[this] val tuples = Array.fill(places.length - 1)(ColumnCodes.longNumbers)
  private[this] var numbers =
    Array.emptyIntArray // by the number of the columns' values together, the key's plus one
  private[this] var ofBatch = Array.emptyIntArray
  private[this] var ofColumn = Array.emptyIntArray

  override def size: Int = ofRows.size
  override def bytes: Long = ofRows.bytes + (if (numbers.isEmpty) 0L else bytesOfColumns)

  private def bytesOfColumns: Long =
    columns.map(_.bytes).sum + tuples.map(_.size * 64L).sum + numbers.length * 4L

  override def of(row: InternalRow): Int = ofRows.of(row)
  override def ofBytes(key: Array[Byte]): Int = ofRows.ofBytes(key)
  override def keys: Array[Array[Byte]] = ofRows.keys

  override def of(batch: ColumnarBatch): Array[Int] = {
    val count = batch.numRows
    if (ofBatch.length < count) {
      ofBatch = new Array[Int](count)
      ofColumn = new Array[Int](count)
    }
    columns(0).read(batch, ofBatch)
    tuples.indices.foreach { i =>
      columns(i + 1).read(batch, ofColumn)
      pair(tuples(i), count)
    }
    var row = 0
    while (row < count) {
      ofBatch(row) = numberOf(ofBatch(row), batch, row)
      row += 1
    }
    ofBatch
  }

  private def pair(tuples: LongNumbers, count: Int): Unit = {
    var row = 0
    while (row < count) {
      ofBatch(row) = tuples.of(ofBatch(row).toLong << 32 | ofColumn(row))
      row += 1
    }
  }

  private def numberOf(values: Int, batch: ColumnarBatch, row: Int): Int = {
    if (values >= numbers.length) numbers = Arrays.copyOf(numbers, 2 * values + FewestKeys)
    if (numbers(values) == 0) numbers(values) = ofRows.of(batch.getRow(row)) + 1
    numbers(values) - 1
  }
}

private object ColumnNumbers {
  private val FewestKeys = 64
}

/** Numbers keys of any types. Memory: see [[GroupNumbers]]. */
final private class RowNumbers(expressions: Seq[Expression], input: Seq[Attribute]) extends NumbersByRow {
  private[this] val numbers = new GroupNumbers
  private[this] val keyOf = UnsafeProjection.create(expressions, input)
  private[this] val stored = new UnsafeRow(expressions.size)

  override def size: Int = numbers.size
  override def bytes: Long = numbers.bytes
  override def of(row: InternalRow): Int = numbers.of(keyOf(row))

  override def ofBytes(key: Array[Byte]): Int = {
    stored.pointTo(key, Platform.BYTE_ARRAY_OFFSET.toLong, key.length)
    numbers.of(stored)
  }

  override def keys: Array[Array[Byte]] = Array.tabulate(size)(numbers.keyOf(_, stored).getBytes)
}

/** Numbers keys of one fixed-width column, which is one word of a row. Memory: up to 120 bytes a key. */
final private class WordNumbers(key: Expression, input: Seq[Attribute]) extends NumbersByRow {
  import WordNumbers._

  private[this] val numbers = ColumnCodes.longNumbers
  private[this] val found = ArrayBuffer.empty[Array[Byte]]
  private[this] val keyOf = UnsafeProjection.create(Seq(key), input)

  override def size: Int = numbers.size
  override def bytes: Long = size * BytesAKey

  override def of(row: InternalRow): Int = {
    val only = keyOf(row)
    if (only.isNullAt(0)) ofNull() else of(only.getLong(0))
  }

  private def of(word: Long): Int = {
    val number = numbers.of(word)
    if (number == found.size) found += ByteBuffer.allocate(8).putLong(word).array
    number
  }

  private def ofNull(): Int = {
    val number = numbers.ofNull()
    if (number == found.size) found += Array.emptyByteArray
    number
  }

  override def ofBytes(key: Array[Byte]): Int =
    if (key.isEmpty) ofNull() else of(ByteBuffer.wrap(key).getLong)

  override def keys: Array[Array[Byte]] = found.toArray
}

private object WordNumbers {
  private val BytesAKey = 120L
}
