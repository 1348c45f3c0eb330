package org.slidewise.spark.execution.blocks

import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarBatch, ColumnVector}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Readers of a column of batches. They return the words or bytes that rows hold for the column. */
private[execution] object VectorReader {

  /** Reads values of fixed size. */
  sealed abstract class OfWords {

    /** Writes the words of the rows from `from` on; 0 for null. */
    def read(batch: ColumnarBatch, from: Int, count: Int, words: Array[Long]): Unit
  }

  /** Reads variable-length values. */
  sealed abstract class OfBytes {

    /**
     * Writes the bytes of the values of the rows from `from` on, which are valid as long as the batch is valid; null for null.
     */
    def read(batch: ColumnarBatch, from: Int, count: Int, values: Array[UTF8String]): Unit
  }

  def ofWords(layout: BlockLayout, column: Int): OfWords = layout.dataType(column) match {
    case LongType | TimestampType | TimestampNTZType | _: DayTimeIntervalType => new Longs(column)
    case DoubleType                                                           => new Doubles(column)
    case decimal: DecimalType if decimal.precision <= Decimal.MAX_LONG_DIGITS =>
      new Others(
        column,
        (vector, row) => vector.getDecimal(row, decimal.precision, decimal.scale).toUnscaledLong
      )
    case _ if !BlockLayout.isLittleEndian                  => new ProjectedWords(layout, column)
    case IntegerType | DateType | _: YearMonthIntervalType => new Ints(column)
    case FloatType                                         =>
      new Others(
        column,
        (vector, row) => java.lang.Float.floatToRawIntBits(vector.getFloat(row)) & 0xffffffffL
      )
    case BooleanType => new Others(column, (vector, row) => if (vector.getBoolean(row)) 1L else 0L)
    case ByteType    => new Others(column, (vector, row) => vector.getByte(row) & 0xffL)
    case ShortType   => new Others(column, (vector, row) => vector.getShort(row) & 0xffffL)
    case _           => new ProjectedWords(layout, column)
  }

  def ofBytes(layout: BlockLayout, column: Int): OfBytes = layout.dataType(column) match {
    case _: StringType => new Texts(column, _.getUTF8String(_))
    case BinaryType    => new Texts(column, (vector, row) => UTF8String.fromBytes(vector.getBinary(row)))
    case _             => new ProjectedBytes(layout, column)
  }

  // The most frequent types have loops of their own, with calls that the JIT can inline.

  final private class Longs(column: Int) extends OfWords {
    override def read(batch: ColumnarBatch, from: Int, count: Int, words: Array[Long]): Unit = {
      val vector = batch.column(column)
      val nullable = vector.hasNull
      var i = 0
      while (i < count) {
        words(i) = if (nullable && vector.isNullAt(from + i)) 0L else vector.getLong(from + i)
        i += 1
      }
    }
  }

  final private class Doubles(column: Int) extends OfWords {
    override def read(batch: ColumnarBatch, from: Int, count: Int, words: Array[Long]): Unit = {
      val vector = batch.column(column)
      val nullable = vector.hasNull
      var i = 0
      while (i < count) {
        words(i) =
          if (nullable && vector.isNullAt(from + i)) 0L
          else java.lang.Double.doubleToRawLongBits(vector.getDouble(from + i))
        i += 1
      }
    }
  }

  final private class Ints(column: Int) extends OfWords {
    override def read(batch: ColumnarBatch, from: Int, count: Int, words: Array[Long]): Unit = {
      val vector = batch.column(column)
      val nullable = vector.hasNull
      var i = 0
      while (i < count) {
        words(i) = if (nullable && vector.isNullAt(from + i)) 0L else vector.getInt(from + i) & 0xffffffffL
        i += 1
      }
    }
  }

  final private class Others(column: Int, word: (ColumnVector, Int) => Long) extends OfWords {
    override def read(batch: ColumnarBatch, from: Int, count: Int, words: Array[Long]): Unit = {
      val vector = batch.column(column)
      var i = 0
      while (i < count) {
        words(i) = if (vector.isNullAt(from + i)) 0L else word(vector, from + i)
        i += 1
      }
    }
  }

  final private class Texts(column: Int, text: (ColumnVector, Int) => UTF8String) extends OfBytes {
    override def read(batch: ColumnarBatch, from: Int, count: Int, values: Array[UTF8String]): Unit = {
      val vector = batch.column(column)
      val nullable = vector.hasNull
      var i = 0
      while (i < count) {
        values(i) = if (nullable && vector.isNullAt(from + i)) null else text(vector, from + i)
        i += 1
      }
    }
  }

  /** Projects a row of a batch to a single column. */
  private def projectionOf(layout: BlockLayout, column: Int): UnsafeProjection =
    UnsafeProjection.create(Seq(BoundReference(column, layout.dataType(column), nullable = true)))

  final private class ProjectedWords(layout: BlockLayout, column: Int) extends OfWords {
    private[this] val project = projectionOf(layout, column)

    override def read(batch: ColumnarBatch, from: Int, count: Int, words: Array[Long]): Unit = {
      var i = 0
      while (i < count) {
        words(i) = project(batch.getRow(from + i)).getLong(0)
        i += 1
      }
    }
  }

  final private class ProjectedBytes(layout: BlockLayout, column: Int) extends OfBytes {
    private[this] val project = projectionOf(layout, column)

    private def bytesOf(row: UnsafeRow): Array[Byte] = {
      val word = row.getLong(0)
      val bytes = new Array[Byte](word.toInt)
      val from = row.getBaseOffset + (word >>> 32)
      Platform.copyMemory(
        row.getBaseObject,
        from,
        bytes,
        Platform.BYTE_ARRAY_OFFSET.toLong,
        bytes.length.toLong
      )
      bytes
    }

    override def read(batch: ColumnarBatch, from: Int, count: Int, values: Array[UTF8String]): Unit = {
      var i = 0
      while (i < count) {
        val row = project(batch.getRow(from + i))
        val size = row.getLong(0).toInt
        // A null may have bytes, too: see BlockLayout.
        values(i) = if (size == 0 && row.isNullAt(0)) null else UTF8String.fromBytes(bytesOf(row))
        i += 1
      }
    }
  }
}
