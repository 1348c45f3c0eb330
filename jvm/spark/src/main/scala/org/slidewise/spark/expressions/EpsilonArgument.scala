package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.Decimal

/** The argument `epsilon`, the error that is allowed: a constant number. */
private[expressions] object EpsilonArgument {

  /** What structures that grow with 1 / ε allow: from 2^-20^. */
  val LeastRelative: Double = 1.0 / (1 << 20)

  def checkRelative(argument: Expression, index: Int): TypeCheckResult =
    check(argument, index, s"[$LeastRelative, 1)")(_ >= LeastRelative)

  def checkAdditive(argument: Expression, index: Int): TypeCheckResult =
    check(argument, index, "(0, 1)")(_ > 0)

  private def check(argument: Expression, index: Int, allowed: String)(enough: Double => Boolean) =
    ConstantArgument.first(
      () => NumericArgument.check(argument, index),
      () =>
        ConstantArgument("epsilon", argument).inRange(allowed) { value =>
          val epsilon = number(value)
          enough(epsilon) && epsilon < 1
        }
    )

  /** Its value; to be asked only after a check has succeeded. */
  def of(argument: Expression): Double = number(ConstantArgument("epsilon", argument).value)

  def number(value: Any): Double = value match {
    case decimal: Decimal => decimal.toDouble
    case other            => other.asInstanceOf[Number].doubleValue
  }
}
