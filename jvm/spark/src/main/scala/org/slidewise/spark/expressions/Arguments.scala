package org.slidewise.spark.expressions

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.{DataTypeMismatch, TypeCheckSuccess}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Cast.{toSQLExpr, toSQLId, toSQLType, toSQLValue}
import org.apache.spark.sql.types._

import org.slidewise.spark.shims.{SparkErrors, SparkExpressions}

/**
 * An argument that must be constant, which the analyzer checks.
 *
 * @param name
 *   the parameter's name in error messages
 */
final case class ConstantArgument(name: String, argument: Expression) {

  // PIVOT makes another argument null too, by which rows of other columns are skipped.
  private val expression = ConstantArgument.outsideOfPivot(argument)

  /** The value. Call it only after a check has succeeded. */
  def value: Any = expression.eval()

  /** Checks that the value is in a range, which `allowed` describes. */
  def inRange(allowed: String)(isAllowed: Any => Boolean): TypeCheckResult =
    notConstant.getOrElse(
      if (value != null && isAllowed(value)) TypeCheckSuccess
      else
        DataTypeMismatch(
          "VALUE_OUT_OF_RANGE",
          Map("exprName" -> toSQLId(name), "valueRange" -> allowed, "currentValue" -> shown)
        )
    )

  /** Checks that the value is an integer from 1 to `most`; `index` is the argument's position. */
  def wholeUpTo(most: Long, index: Int): TypeCheckResult =
    ConstantArgument.first(
      () => NumericArgument.checkWhole(argument, index, s"from 1 to $most"),
      () =>
        inRange(s"[1, $most]") { value =>
          val n = value.asInstanceOf[Number].longValue
          n >= 1 && n <= most
        }
    )

  /** Checks that the value is one of `words`, in any case. */
  def oneOf(words: String*): TypeCheckResult =
    notConstant.getOrElse(
      if (value != null && words.contains(word)) TypeCheckSuccess
      else
        DataTypeMismatch(
          "INVALID_ARG_VALUE",
          Map(
            "inputName" -> toSQLId(name),
            "requireType" -> toSQLType(StringType),
            "validValues" -> words.map(w => s"'$w'").mkString(" or "),
            "inputValue" -> shown
          )
        )
    )

  /** Checks that the value is not null. */
  def isGiven: TypeCheckResult =
    notConstant.getOrElse(
      if (value != null) TypeCheckSuccess
      else DataTypeMismatch("UNEXPECTED_NULL", Map("exprName" -> toSQLId(name)))
    )

  /** The value as a string in lower case. */
  def word: String = value.toString.toLowerCase(Locale.ROOT)

  private def shown = toSQLValue(value, expression.dataType)

  /** The error for an argument that is not constant. */
  private def notConstant: Option[TypeCheckResult] =
    if (expression.foldable) None
    else
      Some(
        DataTypeMismatch(
          "NON_FOLDABLE_INPUT",
          Map(
            "inputName" -> toSQLId(name),
            "inputType" -> toSQLType(expression.dataType),
            "inputExpr" -> toSQLExpr(expression)
          )
        )
      )
}

object ConstantArgument {

  /** The constant within the `If` that PIVOT puts around each argument. */
  def outsideOfPivot(argument: Expression): Expression = argument match {
    case If(_, constant, other) if constant.foldable && other.foldable && other.eval() == null => constant
    case plain                                                                                 => plain
  }

  /** The first failure. A check runs only if those before it succeed. */
  def first(checks: (() => TypeCheckResult)*): TypeCheckResult =
    checks.iterator.map(_.apply()).find(_.isFailure).getOrElse(TypeCheckSuccess)
}

/** An argument of any numeric type, or an untyped NULL, which counts as a double. */
private[expressions] object NumericArgument {

  def check(argument: Expression, index: Int): TypeCheckResult = argument.dataType match {
    case _: NumericType | NullType => TypeCheckSuccess
    case other                     => mismatch(argument, index, "NUMERIC")
  }

  /** Checks for a double, in an argument that the analyzer casts to double where it can. */
  def checkDouble(argument: Expression, index: Int): TypeCheckResult =
    if (argument.dataType == DoubleType) TypeCheckSuccess else mismatch(argument, index, "NUMERIC")

  /** Checks for an integral type; `allowed` describes the values. */
  def checkWhole(argument: Expression, index: Int, allowed: String): TypeCheckResult =
    argument.dataType match {
      case ByteType | ShortType | IntegerType | LongType | NullType => TypeCheckSuccess
      case _ => mismatch(argument, index, "\"INTEGRAL\" (a constant " + allowed + ")")
    }

  /** The argument, with an untyped NULL cast to double. */
  def of(argument: Expression): Expression = argument.dataType match {
    case NullType => Cast(argument, DoubleType)
    case _        => argument
  }

  def mismatch(argument: Expression, index: Int, required: String): DataTypeMismatch =
    DataTypeMismatch(
      "UNEXPECTED_INPUT_TYPE",
      Map(
        "paramIndex" -> SparkErrors.parameterIndex(index),
        "requiredType" -> required,
        "inputSql" -> toSQLExpr(argument),
        "inputType" -> toSQLType(argument.dataType)
      )
    )
}

/** The argument `epsilon`: a constant number, the allowed error. */
private[expressions] object EpsilonArgument {

  /** The smallest ε of structures whose size grows with 1 / ε: 2^-20^. */
  val MinRelative: Double = 1.0 / (1 << 20)

  def checkRelative(argument: Expression, index: Int): TypeCheckResult =
    check(argument, index, s"[$MinRelative, 1)")(_ >= MinRelative)

  def checkAdditive(argument: Expression, index: Int): TypeCheckResult =
    check(argument, index, "(0, 1)")(_ > 0)

  private def check(argument: Expression, index: Int, allowed: String)(isEnough: Double => Boolean) =
    ConstantArgument.first(
      () => NumericArgument.check(argument, index),
      () =>
        ConstantArgument("epsilon", argument).inRange(allowed) { value =>
          val epsilon = number(value)
          isEnough(epsilon) && epsilon < 1
        }
    )

  /** The value. Call it only after a check has succeeded. */
  def of(argument: Expression): Double = number(ConstantArgument("epsilon", argument).value)

  def number(value: Any): Double = value match {
    case decimal: Decimal => decimal.toDouble
    case other            => other.asInstanceOf[Number].doubleValue
  }
}

/** An argument that is a point in time: a timestamp, a date, a time of day, a day-time interval, or a number of seconds. */
private[expressions] object TimeArgument {

  def check(argument: Expression, index: Int): TypeCheckResult = argument.dataType match {
    case TimestampType | TimestampNTZType | DateType | _: NumericType | NullType => TypeCheckSuccess
    case _: DayTimeIntervalType                                                  => TypeCheckSuccess
    case kind if SparkExpressions.isTimeOfDay(kind)                              => TypeCheckSuccess
    case _                                                                       =>
      val types = Seq("TIMESTAMP", "TIMESTAMP_NTZ", "DATE", "TIME", "INTERVAL DAY TO SECOND", "NUMERIC")
      NumericArgument.mismatch(argument, index, types.mkString("(\"", "\" or \"", "\")"))
  }

  /** The time as a bigint in units of its type, or as a double; differences of bigints are exact. */
  def ticks(argument: Expression): Expression = argument.dataType match {
    case TimestampType | TimestampNTZType | _: DayTimeIntervalType => Reinterpret.as(LongType, argument)
    case kind if SparkExpressions.isTimeOfDay(kind)                => Reinterpret.as(LongType, argument)
    case DateType                                                  => Sums.cast(UnixDate(argument), LongType)
    case ByteType | ShortType | IntegerType | LongType             => Sums.cast(argument, LongType)
    case _                                                         => Sums.cast(argument, DoubleType)
  }

  /** The difference of two times in units, a double. */
  def elapsed(from: Expression, to: Expression): Expression = Sums.cast(Subtract(to, from), DoubleType)

  def secondsPerTick(dataType: DataType): Double = dataType match {
    case TimestampType | TimestampNTZType | _: DayTimeIntervalType => 1e-6
    case kind if SparkExpressions.isTimeOfDay(kind)                => 1e-9
    case DateType                                                  => 86400.0
    case _                                                         => 1.0
  }
}

/** Casts between types with the same physical value, as a timestamp and its microseconds. */
private[expressions] object Reinterpret {
  def as(dataType: DataType, value: Expression): Expression =
    PreciseTimestampConversion(value, value.dataType, dataType)
}
