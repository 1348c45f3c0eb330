package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** An aggregate of numbers or intervals in the order of the rows, with the types and overflow rules of Spark's `sum`. */
trait SumOfSequence extends MonoidAggregate with UnaryLike[Expression] with OrderDependent {
  final override def rowArguments: Int = 1
  final override def checkInputDataTypes(): TypeCheckResult = Sums.check(child, 0)
  final override def dataType: DataType = Sums.typeOf(child.dataType)

  /** The number of a row. */
  final protected lazy val number: Expression = Sums.number(child)

  /** The type of a sum in the buffer. */
  final protected lazy val sumType: DataType = Sums.stateTypeOf(number.dataType)

  final override protected def skips: Expression = anyNull(number)
}

/** Sums with the types and overflow rules of Spark's `sum`. */
private[expressions] object Sums {

  /** The type of a result. */
  def typeOf(input: DataType): DataType = input match {
    case d: DecimalType => DecimalType(math.min(d.precision + 10, DecimalType.MAX_PRECISION), d.scale)
    case ByteType | ShortType | IntegerType | LongType     => LongType
    case _: DayTimeIntervalType | _: YearMonthIntervalType => input
    case _                                                 => DoubleType
  }

  /** The number to add for a value: for an interval, its integer representation. */
  def number(value: Expression): Expression = value.dataType match {
    case _: DayTimeIntervalType   => Reinterpret.as(LongType, value)
    case _: YearMonthIntervalType => Reinterpret.as(IntegerType, value)
    case _                        => NumericArgument.of(value)
  }

  def check(value: Expression, index: Int): TypeCheckResult = value.dataType match {
    case _: DayTimeIntervalType | _: YearMonthIntervalType => TypeCheckSuccess
    case _: NumericType | NullType                         => TypeCheckSuccess
    case _                                                 =>
      val types = Seq("NUMERIC", "INTERVAL DAY TO SECOND", "INTERVAL YEAR TO MONTH")
      NumericArgument.mismatch(value, index, types.mkString("(\"", "\" or \"", "\")"))
  }

  /** The type of a sum in the buffer, wider than the result's: some rows may add up to more than all rows. */
  def stateTypeOf(input: DataType): DataType = input match {
    case LongType => DecimalType(38, 0)
    case other    => typeOf(other)
  }

  /** Decimals may exceed their precision until [[finish]], as in Spark's `sum`. */
  def add(a: Expression, b: Expression): Expression = a.dataType match {
    case decimal: DecimalType => DecimalAddNoOverflowCheck(a, b, decimal)
    case _                    => Add(a, b)
  }

  def subtract(a: Expression, b: Expression): Expression = a.dataType match {
    case _: DecimalType => add(a, UnaryMinus(b))
    case _              => Subtract(a, b)
  }

  def cast(e: Expression, to: DataType): Expression = if (e.dataType == to) e else Cast(e, to)

  /** Converts a sum to the result type. Overflow is as in Spark's `sum`, and always an error for intervals. */
  def finish(sum: Expression, to: DataType): Expression = to match {
    case decimal: DecimalType   => CheckOverflow(sum, decimal, !SQLConf.get.ansiEnabled)
    case _: DayTimeIntervalType =>
      Reinterpret.as(to, checked("toDayTimeInterval", LongType, cast(sum, DecimalType(38, 0))))
    case _: YearMonthIntervalType =>
      Reinterpret.as(to, checked("toYearMonthInterval", IntegerType, cast(sum, DecimalType(38, 0))))
    case LongType if sum.dataType != LongType && SQLConf.get.ansiEnabled => checked("toLong", LongType, sum)
    case _                                                               => cast(sum, to)
  }

  private def checked(function: String, to: DataType, sum: Expression) =
    StaticInvoke(classOf[CheckedSum], to, function, Seq(sum), returnNullable = false)

  def greater(a: Expression, b: Expression): Expression = If(GreaterThan(a, b), a, b)
}
