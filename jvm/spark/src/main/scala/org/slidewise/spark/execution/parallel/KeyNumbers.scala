package org.slidewise.spark.execution.parallel

import java.nio.ByteBuffer

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.NullType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.Platform

import org.slidewise.core.selection.{HeapBudget, LongNumbers}
import org.slidewise.spark.execution.blocks.{BlockLayout, VectorReader}
import org.slidewise.spark.execution.sorting.GroupNumbers
import org.slidewise.spark.plan.{StateTypes, WindowKeys}

/** Numbers the partition keys of rows in the order in which they first appear. Not safe for concurrent use. */
sealed abstract private[parallel] class KeyNumbers {
  private[this] var ofBatch = Array.emptyIntArray

  /** The number of keys. */
  def size: Int

  /** The memory held, in bytes. */
  def bytes: Long

  /** The number of a row's key. */
  def of(row: InternalRow): Int

  /** The numbers of the keys of a batch's rows, valid until the next call. */
  final def of(batch: ColumnarBatch): Array[Int] = {
    if (ofBatch.length < batch.numRows) ofBatch = new Array[Int](batch.numRows)
    number(batch, ofBatch)
    ofBatch
  }

  protected def number(batch: ColumnarBatch, into: Array[Int]): Unit = {
    var row = 0
    while (row < batch.numRows) {
      into(row) = of(batch.getRow(row))
      row += 1
    }
  }

  /** The number of one of [[keys]], perhaps those of another task. */
  def ofBytes(key: Array[Byte]): Int

  /** The bytes of each key, by its number. */
  def keys: Array[Array[Byte]]
}

private[parallel] object KeyNumbers {

  /**
   * @param input
   *   the attributes of a row
   */
  def of(partition: Seq[Expression], input: Seq[Attribute]): KeyNumbers =
    WindowKeys.asBytes(partition) match {
      case Seq(key) if StateTypes.isFixedWidth(key.dataType) && key.dataType != NullType =>
        new WordNumbers(key, input)
      case keys => new RowNumbers(keys, input)
    }
}

/** Numbers keys of any types. Memory: see [[GroupNumbers]]. */
final private class RowNumbers(expressions: Seq[Expression], input: Seq[Attribute]) extends KeyNumbers {
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

/** Numbers keys that are one word of a row. Memory: up to 120 bytes a key. */
final private class WordNumbers(key: Expression, input: Seq[Attribute]) extends KeyNumbers {
  import WordNumbers._

  private[this] val numbers = new LongNumbers(Unlimited)
  private[this] val found = ArrayBuffer.empty[Array[Byte]]
  private[this] val keyOf = UnsafeProjection.create(Seq(key), input)
  private[this] val column = input.indexWhere(_.semanticEquals(key))
  private[this] val reader = if (column < 0) null else VectorReader.ofWords(BlockLayout.of(input), column)
  private[this] var words = Array.emptyLongArray

  override def size: Int = numbers.size
  override def bytes: Long = size * BytesAKey

  override def of(row: InternalRow): Int = {
    val only = keyOf(row)
    if (only.isNullAt(0)) ofNull() else of(only.getLong(0))
  }

  override protected def number(batch: ColumnarBatch, into: Array[Int]): Unit =
    if (reader == null) super.number(batch, into)
    else {
      val count = batch.numRows
      if (words.length < count) words = new Array[Long](count)
      reader.read(batch, 0, count, words)
      val vector = batch.column(column)
      val nullable = vector.hasNull
      var row = 0
      while (row < count) {
        into(row) = if (nullable && vector.isNullAt(row)) ofNull() else of(words(row))
        row += 1
      }
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

  private object Unlimited extends HeapBudget {
    override def acquire(bytes: Long): Boolean = true
    override def release(bytes: Long): Unit = ()
  }
}
