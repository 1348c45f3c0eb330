package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder, UnsafeRow}
import org.apache.spark.sql.execution.SortPrefixUtils
import org.apache.spark.sql.types._

import org.slidewise.spark.shims.SparkCollations

/** Properties of partition and order keys that decide how rows are grouped and sorted. */
private[spark] object WindowKeys {

  /** The partition keys, as expressions whose equal values have equal bytes. These expressions sort as the keys do. */
  def asBytes(partition: Seq[Expression]): Seq[Expression] = partition.map(SparkCollations.binary)

  /** Whether equal keys have equal bytes, so that Slidewise can group rows by them. */
  def haveBytes(partition: Seq[Expression]): Boolean =
    asBytes(partition).forall(key => hasBytes(key.dataType))

  /** Whether equal values of the type, and nulls, have equal bytes in rows of Spark. */
  def hasBytes(dataType: DataType): Boolean =
    SparkCollations.isBinaryStable(dataType) && !leavesBytesOfNulls(dataType)

  // Spark does not overwrite the bytes of the value before a null, such as a timestamp with nanoseconds (4.3).
  private def leavesBytesOfNulls(dataType: DataType): Boolean = dataType match {
    case ArrayType(element, _)                 => leavesBytesOfNulls(element)
    case StructType(fields)                    => fields.exists(field => leavesBytesOfNulls(field.dataType))
    case _: DecimalType | CalendarIntervalType => false
    case other => UnsafeRow.isMutable(other) && !UnsafeRow.isFixedLength(other)
  }

  /** Whether 64 bits distinguish all values of an order key. */
  def fitsInLong(order: SortOrder): Boolean = SortPrefixUtils.canSortFullyWithPrefix(order)
}
