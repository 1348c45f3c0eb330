package org.slidewise.spark.expressions

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.{DataTypeMismatch, TypeCheckSuccess}
import org.apache.spark.sql.catalyst.expressions.Cast.{toSQLExpr, toSQLId, toSQLType, toSQLValue}
import org.apache.spark.sql.catalyst.expressions.{Expression, If}
import org.apache.spark.sql.types.StringType

/**
 * An argument that must be the same for all rows, checked when the query is analysed.
 *
 * @param name
 *   what messages call it
 */
final case class ConstantArgument(name: String, argument: Expression) {

  // Outside of PIVOT's column rows are skipped by another argument.
  private val expression = ConstantArgument.outsideOfPivot(argument)

  /** Its value; to be asked only after a check has succeeded. */
  def value: Any = expression.eval()

  /** That it is a constant within a range, of which `allowed` is the description. */
  def inRange(allowed: String)(isAllowed: Any => Boolean): TypeCheckResult =
    constant.getOrElse(
      if (value != null && isAllowed(value)) TypeCheckSuccess
      else
        DataTypeMismatch(
          "VALUE_OUT_OF_RANGE",
          Map("exprName" -> toSQLId(name), "valueRange" -> allowed, "currentValue" -> shown)
        )
    )

  /** That it is a whole number from 1 to `most`; it is the argument at `index`. */
  def wholeUpTo(most: Long, index: Int): TypeCheckResult =
    ConstantArgument.first(
      () => NumericArgument.checkWhole(argument, index, s"from 1 to $most"),
      () =>
        inRange(s"[1, $most]") { value =>
          val n = value.asInstanceOf[Number].longValue
          n >= 1 && n <= most
        }
    )

  /** That it is one of these words. */
  def oneOf(words: String*): TypeCheckResult =
    constant.getOrElse(
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

  /** That it is a constant and not null. */
  def isGiven: TypeCheckResult =
    constant.getOrElse(
      if (value != null) TypeCheckSuccess
      else DataTypeMismatch("UNEXPECTED_NULL", Map("exprName" -> toSQLId(name)))
    )

  /** Its value as a word; in lower case. */
  def word: String = value.toString.toLowerCase(Locale.ROOT)

  private def shown = toSQLValue(value, expression.dataType)

  /** What is said of one that is not a constant. */
  private def constant: Option[TypeCheckResult] =
    Option.when(!expression.foldable)(
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

  /** What PIVOT, which makes each argument null outside of its column, made of a constant. */
  def outsideOfPivot(argument: Expression): Expression = argument match {
    case If(_, constant, other) if constant.foldable && other.foldable && other.eval() == null => constant
    case plain                                                                                 => plain
  }

  /** The first failure among checks, the later of which are made only where the earlier succeed. */
  def first(checks: (() => TypeCheckResult)*): TypeCheckResult =
    checks.iterator.map(_.apply()).find(_.isFailure).getOrElse(TypeCheckSuccess)
}
