package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.{DataTypeMismatch, TypeCheckSuccess}
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression}
import org.apache.spark.sql.catalyst.expressions.Cast.{ordinalNumber, toSQLExpr, toSQLType}
import org.apache.spark.sql.types._

/** An argument that is a number of any type, or nothing but nulls, which stand for no double. */
private[expressions] object NumericArgument {

  def check(argument: Expression, index: Int): TypeCheckResult = argument.dataType match {
    case _: NumericType | NullType => TypeCheckSuccess
    case other                     => mismatch(argument, index, "NUMERIC")
  }

  /** As [[check]], of what was cast to a double where it could be. */
  def checkDouble(argument: Expression, index: Int): TypeCheckResult =
    if (argument.dataType == DoubleType) TypeCheckSuccess else mismatch(argument, index, "NUMERIC")

  /** A whole number that is checked for more than its type. */
  def checkWhole(argument: Expression, index: Int, allowed: String): TypeCheckResult =
    argument.dataType match {
      case ByteType | ShortType | IntegerType | LongType | NullType => TypeCheckSuccess
      case _ => mismatch(argument, index, s"\"INTEGRAL\" (a constant $allowed)")
    }

  def of(argument: Expression): Expression = argument.dataType match {
    case NullType => Cast(argument, DoubleType)
    case _        => argument
  }

  def mismatch(argument: Expression, index: Int, required: String): DataTypeMismatch =
    DataTypeMismatch(
      "UNEXPECTED_INPUT_TYPE",
      Map(
        "paramIndex" -> ordinalNumber(index),
        "requiredType" -> required,
        "inputSql" -> toSQLExpr(argument),
        "inputType" -> toSQLType(argument.dataType)
      )
    )
}
