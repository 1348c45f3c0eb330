package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.{ArrayType, DataType}

import org.slidewise.spark.errors.CorruptState

/**
 * Values of a type as bytes: an unsafe row with one array. Not thread-safe.
 *
 * @param owner
 *   the function whose values they are, for the error
 * @param atMost
 *   the greatest number of values
 */
final private[expressions] class StoredArray(
    owner: String,
    elementType: DataType,
    containsNull: Boolean,
    atMost: Int
) {
  private[this] val stored = Array[DataType](ArrayType(elementType, containsNull))
  private[this] val structure = new RowStructure(stored.toSeq)
  private[this] val projection = UnsafeProjection.create(stored)
  private[this] val row = new UnsafeRow(1)

  def write(values: Array[Any]): Array[Byte] =
    projection(InternalRow(new GenericArrayData(values))).getBytes

  /** Calls `append` with a copy of each value. Damaged bytes raise [[CorruptState]]. */
  def read(bytes: Array[Byte])(append: Any => Unit): Unit = {
    row.pointTo(bytes, bytes.length)
    val values = structure.check(row).getArray(0)
    if (values == null || values.numElements > atMost)
      throw new CorruptState(s"$owner does not have up to $atMost values")
    values.foreach(elementType, (_, value: Any) => append(InternalRow.copyValue(value)))
  }
}
