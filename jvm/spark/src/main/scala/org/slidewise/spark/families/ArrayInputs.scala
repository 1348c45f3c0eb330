package org.slidewise.spark.families

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import org.slidewise.spark.expressions.GuardedCondition
import org.slidewise.spark.plan.StateTypes

/** The inputs of window functions as expressions of 64 bits, which array kernels read. */
private[families] object ArrayInputs {

  /** Whether a row stores the value in a field of eight bytes. */
  def isSlot(input: Expression): Boolean =
    input.deterministic && input.dataType != NullType && StateTypes.isFixedWidth(input.dataType)

  def isFloating(value: Expression): Boolean = StateTypes.isFloating(value.dataType)

  def isIntegral(value: Expression): Boolean = value.dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _                                             => false
  }

  def isPrimitive(value: Expression): Boolean = isFloating(value) || isIntegral(value)

  /** Whether [[long]] preserves the order and the equality of the type's values. */
  def isWhole(kind: DataType): Boolean = kind match {
    case ByteType | ShortType | IntegerType | LongType | BooleanType | DateType | TimestampType |
        TimestampNTZType =>
      true
    case _: DayTimeIntervalType | _: YearMonthIntervalType => true
    case decimal: DecimalType                              => !StateTypes.isWide(decimal)
    case _                                                 => false
  }

  /**
   * Like [[isWhole]], and also true for decimals whose unscaled values fit into 64 bits below 9 · 10^8^. A larger value fails, and
   * all array functions of the task fall back to row-wise evaluation.
   */
  def isUsuallyWhole(kind: DataType): Boolean = isWhole(kind) || (kind match {
    case decimal: DecimalType => decimal.scale <= 10
    case _                    => false
  })

  def double(value: Expression): Expression =
    if (value.dataType == DoubleType) value else Cast(value, DoubleType)

  def long(value: Expression): Expression = value.dataType match {
    case ByteType | ShortType | BooleanType => Cast(value, LongType)
    case _: DecimalType                     => UnscaledValue(value)
    case _                                  => value
  }

  /** `input` where `filter` is true, else null. */
  def filtered(input: Expression, filter: Option[Expression]): Expression =
    filter.fold(input)(GuardedCondition.valueIf(_, input))

  /** Whether no value is null. */
  def noneNull(values: Seq[Expression]): Expression =
    values.filter(_.nullable).map(IsNotNull(_)).reduceOption[Expression](And(_, _)).getOrElse(Literal(true))

  /** 1 where `condition` is true, else null. */
  def oneIf(condition: Expression): Expression =
    if (condition == Literal(true)) Literal(1L)
    else If(condition, Literal(1L), Literal.create(null, LongType))
}
