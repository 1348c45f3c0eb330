package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/** Strings whose equality is determined by a collation and not by their bytes. Spark has them since 4.0. */
trait Collations {

  /** Whether values of the type are equal only if their bytes are. */
  def isBinaryStable(dataType: DataType): Boolean

  /** An expression that has equal bytes where the values of `text` are equal by its collation. */
  def binary(text: Expression): Expression

  /** For a type that is not binary stable, the conversion of a string to one with equal bytes for equal strings. */
  def keyOf(text: StringType): Option[UTF8String => UTF8String]

  /** Compares the bytes of two strings. */
  def compareBytes(a: UTF8String, b: UTF8String): Int
}
