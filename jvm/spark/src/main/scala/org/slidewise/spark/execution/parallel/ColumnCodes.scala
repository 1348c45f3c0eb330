package org.slidewise.spark.execution.parallel

import java.util.{Arrays, HashMap, Objects}

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.types.{NullType, StringType}
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.core.selection.{HeapBudget, LongNumbers}
import org.slidewise.spark.execution.blocks.{BlockLayout, VectorReader}
import org.slidewise.spark.plan.StateTypes

/** Numbers the values of a column of batches, null among them, in the order in which they first appear. Not safe for concurrent use. */
sealed abstract private[parallel] class ColumnCodes {

  /** Writes the number of the value of each row. */
  def read(batch: ColumnarBatch, into: Array[Int]): Unit

  /** The memory held, in bytes. */
  def bytes: Long
}

private[parallel] object ColumnCodes {

  /**
   * @param input
   *   the attributes of a batch
   * @param column
   *   the position of the column
   */
  def of(input: Seq[Attribute], column: Int): ColumnCodes = {
    val (layout, dataType) = (BlockLayout.of(input), input(column).dataType)
    if (StateTypes.isFixedWidth(dataType) && dataType != NullType)
      new WordCodes(VectorReader.ofWords(layout, column), column)
    else new BytesCodes(VectorReader.ofBytes(layout, column), column, dataType.isInstanceOf[StringType])
  }

  /** A table whose size its owner limits. */
  private[parallel] def longNumbers: LongNumbers = new LongNumbers(Unlimited)

  private object Unlimited extends HeapBudget {
    override def acquire(bytes: Long): Boolean = true
    override def release(bytes: Long): Unit = ()
  }
}

/** Numbers values of one size. Memory: up to 64 bytes a value. */
final private class WordCodes(reader: VectorReader.OfWords, column: Int) extends ColumnCodes {
  private[this] val numbers = ColumnCodes.longNumbers
  private[this] var words = Array.emptyLongArray

  override def bytes: Long = numbers.size * 64L

  override def read(batch: ColumnarBatch, into: Array[Int]): Unit = {
    val count = batch.numRows
    if (words.length < count) words = new Array[Long](count)
    reader.read(batch, 0, count, words)
    val vector = batch.column(column)
    val nullable = vector.hasNull
    var row = 0
    while (row < count) {
      into(row) = if (nullable && vector.isNullAt(row)) numbers.ofNull() else numbers.of(words(row))
      row += 1
    }
  }
}

/**
 * Numbers values that differ in size. Where a vector holds texts as numbers in a dictionary, as Parquet's reader does, it looks up each
 * distinct entry once in a batch, instead of each row. Memory: a copy of each value, and up to 200 bytes.
 */
final private class BytesCodes(reader: VectorReader.OfBytes, column: Int, isText: Boolean)
    extends ColumnCodes {
  import BytesCodes._

  private[this] val known = new HashMap[UTF8String, Known]
  private[this] var last: Known = null
  private[this] var held = 0L
  private[this] var values = new Array[UTF8String](0)
  private[this] var ofEntries = Array.emptyIntArray // by entry of a dictionary: its number plus one

  override def bytes: Long = held

  override def read(batch: ColumnarBatch, into: Array[Int]): Unit = batch.column(column) match {
    case texts: WritableColumnVector if isText && texts.hasDictionary =>
      byDictionary(texts, batch.numRows, into)
    case _ => byValue(batch, into)
  }

  private def byDictionary(texts: WritableColumnVector, count: Int, into: Array[Int]): Unit = {
    val entries = texts.getDictionaryIds
    val nullable = texts.hasNull
    Arrays.fill(ofEntries, 0)
    var row = 0
    while (row < count) {
      into(row) =
        if (nullable && texts.isNullAt(row)) numberOf(null)
        else {
          val entry = entries.getInt(row)
          if (entry >= ofEntries.length) ofEntries = Arrays.copyOf(ofEntries, 2 * entry + FewestEntries)
          if (ofEntries(entry) == 0) ofEntries(entry) = numberOf(texts.getUTF8String(row)) + 1
          ofEntries(entry) - 1
        }
      row += 1
    }
  }

  private def byValue(batch: ColumnarBatch, into: Array[Int]): Unit = {
    val count = batch.numRows
    if (values.length < count) values = new Array[UTF8String](count)
    reader.read(batch, 0, count, values)
    var row = 0
    while (row < count) {
      into(row) = numberOf(values(row))
      row += 1
    }
  }

  private def numberOf(value: UTF8String): Int = {
    if (last == null || !Objects.equals(last.value, value)) {
      last = known.get(value)
      if (last == null) last = add(value)
    }
    last.number
  }

  private def add(value: UTF8String): Known = {
    val added = Known(if (value == null) null else value.copy, known.size)
    known.put(added.value, added)
    held += ValueBytes + (if (value == null) 0 else value.numBytes)
    added
  }
}

private object BytesCodes {
  private val FewestEntries = 64

  /** A value without its bytes, its place in the map, and its number. */
  private val ValueBytes = 200L

  final private case class Known(value: UTF8String, number: Int)
}
