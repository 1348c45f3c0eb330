package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** The types that sums have: those of Spark's `sum`. */
private[expressions] object Sums {

  /** Of an answer. */
  def typeOf(input: DataType): DataType = input match {
    case d: DecimalType => DecimalType(math.min(d.precision + 10, DecimalType.MAX_PRECISION), d.scale)
    case ByteType | ShortType | IntegerType | LongType     => LongType
    case _: DayTimeIntervalType | _: YearMonthIntervalType => input
    case _                                                 => DoubleType
  }

  /** What is added up for a value: an interval as a whole number. */
  def number(value: Expression): Expression = value.dataType match {
    case _: DayTimeIntervalType   => Stored.as(LongType, value)
    case _: YearMonthIntervalType => Stored.as(IntegerType, value)
    case _                        => NumericArgument.of(value)
  }

  def check(value: Expression, index: Int): TypeCheckResult = value.dataType match {
    case _: DayTimeIntervalType | _: YearMonthIntervalType => TypeCheckSuccess
    case _: NumericType | NullType                         => TypeCheckSuccess
    case _                                                 =>
      val types = Seq("NUMERIC", "INTERVAL DAY TO SECOND", "INTERVAL YEAR TO MONTH")
      NumericArgument.mismatch(value, index, types.mkString("(\"", "\" or \"", "\")"))
  }

  /** Of a sum in a state, which may hold more than the answer: a part of the rows may add up to more than the whole. */
  def stateTypeOf(input: DataType): DataType = input match {
    case LongType => DecimalType(38, 0)
    case other    => typeOf(other)
  }

  /** Decimals keep more digits than their type has until [[finish]], as those of Spark's `sum` do. */
  def add(a: Expression, b: Expression): Expression = a.dataType match {
    case decimal: DecimalType => DecimalAddNoOverflowCheck(a, b, decimal)
    case _                    => Add(a, b)
  }

  def subtract(a: Expression, b: Expression): Expression = a.dataType match {
    case _: DecimalType => add(a, UnaryMinus(b))
    case _              => Subtract(a, b)
  }

  def cast(e: Expression, to: DataType): Expression = if (e.dataType == to) e else Cast(e, to)

  /** A sum in a state as an answer: past the type's end what Spark's `sum` gives, an error for intervals in any mode. */
  def finish(sum: Expression, to: DataType): Expression = to match {
    case decimal: DecimalType   => CheckOverflow(sum, decimal, !SQLConf.get.ansiEnabled)
    case _: DayTimeIntervalType => Stored.as(to, fitting("interval", LongType, cast(sum, DecimalType(38, 0))))
    case _: YearMonthIntervalType =>
      Stored.as(to, fitting("months", IntegerType, cast(sum, DecimalType(38, 0))))
    case LongType if sum.dataType != LongType && SQLConf.get.ansiEnabled => fitting("whole", LongType, sum)
    case _                                                               => cast(sum, to)
  }

  private def fitting(function: String, to: DataType, sum: Expression) =
    StaticInvoke(classOf[Fitting], to, function, Seq(sum), returnNullable = false)

  def greater(a: Expression, b: Expression): Expression = If(GreaterThan(a, b), a, b)
}
