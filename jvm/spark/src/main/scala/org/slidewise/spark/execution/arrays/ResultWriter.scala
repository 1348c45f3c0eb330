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
 *   the bytes of a row's bit set, which comes before its fields
 */
final private[arrays] class ResultWriter(
    results: PartitionResult,
    result: DataType,
    field: Int,
    bitSetBytes: Int
) {
  private[this] val place = bitSetBytes + 8L * field

  /**
   * Writes results of the partition into the rows at `bases(from) until bases(until)`, and the same of `offsets`.
   *
   * @param shift
   *   the number of the result for the row at `i`, less `i`
   */
  def write(shift: Int, from: Int, until: Int, bases: Array[AnyRef], offsets: Array[Long]): Unit = {
    results match {
      case longs: LongResult     => writeLongs(longs.values, shift, from, until, bases, offsets)
      case doubles: DoubleResult => writeDoubles(doubles.values, shift, from, until, bases, offsets)
    }
    if (results.valid != null) writeNulls(results.valid, shift, from, until, bases, offsets)
  }

  private def writeLongs(
      values: Array[Long],
      shift: Int,
      from: Int,
      until: Int,
      bases: Array[AnyRef],
      offsets: Array[Long]
  ): Unit = result match {
    case IntegerType | DateType | _: YearMonthIntervalType =>
      each(from, until)(i => Platform.putInt(bases(i), offsets(i) + place, values(shift + i).toInt))
    case ShortType =>
      each(from, until)(i => Platform.putShort(bases(i), offsets(i) + place, values(shift + i).toShort))
    case ByteType =>
      each(from, until)(i => Platform.putByte(bases(i), offsets(i) + place, values(shift + i).toByte))
    case BooleanType =>
      each(from, until)(i => Platform.putBoolean(bases(i), offsets(i) + place, values(shift + i) != 0L))
    case _ =>
      var i = from
      while (i < until) {
        Platform.putLong(bases(i), offsets(i) + place, values(shift + i))
        i += 1
      }
  }

  private def writeDoubles(
      values: Array[Double],
      shift: Int,
      from: Int,
      until: Int,
      bases: Array[AnyRef],
      offsets: Array[Long]
  ): Unit = result match {
    case FloatType =>
      each(from, until)(i => Platform.putFloat(bases(i), offsets(i) + place, values(shift + i).toFloat))
    case _ =>
      var i = from
      while (i < until) {
        Platform.putDouble(bases(i), offsets(i) + place, values(shift + i))
        i += 1
      }
  }

  private def writeNulls(
      valid: Array[Long],
      shift: Int,
      from: Int,
      until: Int,
      bases: Array[AnyRef],
      offsets: Array[Long]
  ): Unit = each(from, until) { i =>
    if (!Validity.at(valid, shift + i)) {
      Platform.putLong(bases(i), offsets(i) + place, 0L)
      BitSetMethods.set(bases(i), offsets(i), field)
    }
  }

  private def each(from: Int, until: Int)(write: Int => Unit): Unit = {
    var i = from
    while (i < until) {
      write(i)
      i += 1
    }
  }
}
