package org.slidewise.spark.execution.arrays

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.bitset.BitSetMethods

import org.slidewise.core.kernels.Validity

/**
 * Writes the results of one window expression into rows that have room for them.
 *
 * @param field
 *   the result's place among the fields of a row
 * @param bitSetBytes
 *   of a row, before its fields
 */
final private[arrays] class ResultWriter(
    results: PartitionResult,
    result: DataType,
    field: Int,
    bitSetBytes: Int
) {
  private[this] val place = bitSetBytes + 8L * field

  /** Writes the results `first until first + rows` of the partition into the rows at `bases` and `offsets`. */
  def write(first: Int, rows: Int, bases: Array[AnyRef], offsets: Array[Long]): Unit = {
    results match {
      case longs: LongResult     => writeLongs(longs.values, first, rows, bases, offsets)
      case doubles: DoubleResult => writeDoubles(doubles.values, first, rows, bases, offsets)
    }
    if (results.valid != null) writeNulls(results.valid, first, rows, bases, offsets)
  }

  private def writeLongs(
      values: Array[Long],
      first: Int,
      rows: Int,
      bases: Array[AnyRef],
      offsets: Array[Long]
  ): Unit = result match {
    case IntegerType | DateType | _: YearMonthIntervalType =>
      each(rows)(i => Platform.putInt(bases(i), offsets(i) + place, values(first + i).toInt))
    case ShortType =>
      each(rows)(i => Platform.putShort(bases(i), offsets(i) + place, values(first + i).toShort))
    case ByteType =>
      each(rows)(i => Platform.putByte(bases(i), offsets(i) + place, values(first + i).toByte))
    case BooleanType =>
      each(rows)(i => Platform.putBoolean(bases(i), offsets(i) + place, values(first + i) != 0L))
    case _ =>
      var i = 0
      while (i < rows) {
        Platform.putLong(bases(i), offsets(i) + place, values(first + i))
        i += 1
      }
  }

  private def writeDoubles(
      values: Array[Double],
      first: Int,
      rows: Int,
      bases: Array[AnyRef],
      offsets: Array[Long]
  ): Unit = result match {
    case FloatType =>
      each(rows)(i => Platform.putFloat(bases(i), offsets(i) + place, values(first + i).toFloat))
    case _ =>
      var i = 0
      while (i < rows) {
        Platform.putDouble(bases(i), offsets(i) + place, values(first + i))
        i += 1
      }
  }

  private def writeNulls(
      valid: Array[Long],
      first: Int,
      rows: Int,
      bases: Array[AnyRef],
      offsets: Array[Long]
  ): Unit = each(rows) { i =>
    if (!Validity.at(valid, first + i)) {
      Platform.putLong(bases(i), offsets(i) + place, 0L)
      BitSetMethods.set(bases(i), offsets(i), field)
    }
  }

  private def each(rows: Int)(write: Int => Unit): Unit = {
    var i = 0
    while (i < rows) {
      write(i)
      i += 1
    }
  }
}
