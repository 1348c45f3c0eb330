package org.slidewise.spark.execution.exchange

import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnarArray, ColumnarMap, ColumnVector}
import org.apache.spark.unsafe.types.UTF8String

import org.slidewise.spark.execution.columns.FieldVector
import org.slidewise.spark.shims.SparkExpressions

/**
 * A view of selected rows of a vector.
 *
 * @param rows
 *   the numbers of the rows in `vector`, which stays open
 */
final private[execution] class SelectedVector(vector: ColumnVector, rows: Array[Int])
    extends ColumnVector(vector.dataType) {

  override def close(): Unit = ()

  // An upper bound, as in other vectors that share their values.
  override def hasNull: Boolean = vector.hasNull
  override def numNulls: Int = vector.numNulls

  override def isNullAt(row: Int): Boolean = vector.isNullAt(rows(row))
  override def getBoolean(row: Int): Boolean = vector.getBoolean(rows(row))
  override def getByte(row: Int): Byte = vector.getByte(rows(row))
  override def getShort(row: Int): Short = vector.getShort(rows(row))
  override def getInt(row: Int): Int = vector.getInt(rows(row))
  override def getLong(row: Int): Long = vector.getLong(rows(row))
  override def getFloat(row: Int): Float = vector.getFloat(rows(row))
  override def getDouble(row: Int): Double = vector.getDouble(rows(row))
  override def getArray(row: Int): ColumnarArray = vector.getArray(rows(row))
  override def getMap(row: Int): ColumnarMap = vector.getMap(rows(row))
  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    vector.getDecimal(rows(row), precision, scale)
  override def getUTF8String(row: Int): UTF8String = vector.getUTF8String(rows(row))
  override def getBinary(row: Int): Array[Byte] = vector.getBinary(rows(row))
  override def getChild(ordinal: Int): ColumnVector = new SelectedVector(vector.getChild(ordinal), rows)
}

private[spark] object SelectedVector {

  /** Whether a view shows the values of a type: those that are read by a method that it overrides. */
  def shows(dataType: DataType): Boolean = dataType match {
    case struct: StructType                   => struct.forall(field => shows(field.dataType))
    case _: ArrayType | _: MapType | NullType => true
    case other                                =>
      FieldVector.holds(other) || SparkExpressions.isTimeOfDay(other) || other.typeName == "variant"
  }
}
