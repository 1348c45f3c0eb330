package org.slidewise.spark.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types.DecimalType

import org.slidewise.spark.shims.SparkExpressions

/** Aggregate functions whose first argument may be a condition on rows. */
private[spark] object ConditionalFunctions {

  /** The number of rows that meet a condition. */
  object CountOf {
    def unapply(function: AggregateFunction): Option[Expression] = function match {
      case CountIf(condition) => Some(condition)
      case _                  => None
    }
  }

  /** Whether rows whose first argument is null have no part in the value. */
  def ignoresNulls(function: AggregateFunction): Boolean = function match {
    case Count(arguments)                                            => arguments.size == 1
    case _: Sum | _: Average | _: Min | _: Max | _: CentralMomentAgg => true
    case _: HyperLogLogPlusPlus                                      => true
    case _                                                           => false
  }

  private def isNullOnOverflow(sum: Sum): Boolean = SparkExpressions.evalMode(sum) match {
    case EvalMode.ANSI   => false
    case EvalMode.LEGACY => sum.dataType.isInstanceOf[DecimalType]
    case _               => true
  }

  /** The value over some rows, of which `value` is that of the function, and over at least one other row with the constant. */
  def together(function: AggregateFunction, value: Expression, constant: Expression): Option[Expression] =
    function match {
      case sum: Sum if constant == Literal.default(constant.dataType) && !isNullOnOverflow(sum) =>
        Some(Coalesce(Seq(value, Literal.default(value.dataType))))
      case _: Max => Some(Greatest(Seq(value, constant)))
      case _: Min => Some(Least(Seq(value, constant)))
      case _      => None
    }
}
