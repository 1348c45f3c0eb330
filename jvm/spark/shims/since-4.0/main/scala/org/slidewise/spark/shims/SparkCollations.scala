package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.{CollationKey, Expression}
import org.apache.spark.sql.catalyst.util.{CollationFactory, UnsafeRowUtils}
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

object SparkCollations extends Collations {
  override def isBinaryStable(dataType: DataType): Boolean = UnsafeRowUtils.isBinaryStable(dataType)

  override def binary(text: Expression): Expression = text.dataType match {
    case string: StringType if !isBinaryStable(string) => CollationKey(text)
    case _                                             => text
  }

  override def keyOf(text: StringType): Option[UTF8String => UTF8String] =
    if (isBinaryStable(text)) None
    else {
      val id = text.collationId
      Some(CollationFactory.getCollationKey(_, id))
    }

  override def compareBytes(a: UTF8String, b: UTF8String): Int = a.binaryCompare(b)
}
