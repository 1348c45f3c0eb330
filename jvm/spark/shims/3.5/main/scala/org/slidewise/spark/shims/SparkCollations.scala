package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/** Spark 3.5 has no collations. */
object SparkCollations extends Collations {
  override def isBinaryStable(dataType: DataType): Boolean = true
  override def binary(text: Expression): Expression = text
  override def keyOf(text: StringType): Option[UTF8String => UTF8String] = None
  override def compareBytes(a: UTF8String, b: UTF8String): Int = a.compareTo(b)
}
