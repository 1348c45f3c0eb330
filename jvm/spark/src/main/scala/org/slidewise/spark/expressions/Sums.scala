package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/** The types that sums have: those of Spark's `sum`. */
private[expressions] object Sums {

  /** Of an answer. */
  def typeOf(input: DataType): DataType = input match {
    case d: DecimalType => DecimalType(math.min(d.precision + 10, DecimalType.MAX_PRECISION), d.scale)
    case ByteType | ShortType | IntegerType | LongType => LongType
    case _                                             => DoubleType
  }

  /** Of a sum in a state, which may hold more than the answer: a part of the rows may add up to more than the whole. */
  def stateTypeOf(input: DataType): DataType = input match {
    case LongType => DecimalType(38, 0)
    case other    => typeOf(other)
  }

  def add(a: Expression, b: Expression): Expression = cast(Add(a, b), a.dataType)

  def cast(e: Expression, to: DataType): Expression = if (e.dataType == to) e else Cast(e, to)

  /** The greater of two sums; null, as Spark has it for a decimal that has overflowed, if one of them is. */
  def greater(a: Expression, b: Expression): Expression = If(Or(IsNull(a), GreaterThan(a, b)), a, b)
}
