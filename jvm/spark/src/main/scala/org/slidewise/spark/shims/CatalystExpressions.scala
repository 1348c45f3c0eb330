package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.{EvalMode, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum
import org.apache.spark.sql.catalyst.plans.logical.FunctionSignature
import org.apache.spark.sql.types.DataType

/** Expressions and types of Catalyst that have other names or other parameters in some Spark minors. */
trait CatalystExpressions {

  /** Whether the type is TIME, in nanoseconds since midnight. Spark has it since 4.1. */
  def isTimeOfDay(dataType: DataType): Boolean

  /** `timestamp` moved by an interval of days and microseconds. */
  def addInterval(timestamp: Expression, interval: Expression, timeZone: String): Expression

  /** The timestamp and the interval of [[addInterval]]; none for other expressions. */
  def movedTimestamp(e: Expression): Option[(Expression, Expression)]

  /** The evaluation mode of the sum, which decides what happens on overflow. */
  def evalMode(sum: Sum): EvalMode.Value

  def sum(input: Expression, evalMode: EvalMode.Value): Sum

  /** The arguments of a call in the order of the parameters, with the defaults of those that are left out. */
  def rearrange(function: String, signature: FunctionSignature, arguments: Seq[Expression]): Seq[Expression]
}
