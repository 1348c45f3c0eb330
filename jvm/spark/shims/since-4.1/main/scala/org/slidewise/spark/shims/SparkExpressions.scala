package org.slidewise.spark.shims

import org.apache.spark.sql.catalyst.expressions.{
  EvalMode,
  Expression,
  NumericEvalContext,
  TimestampAddInterval
}
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum
import org.apache.spark.sql.catalyst.plans.logical.{FunctionSignature, NamedParametersSupport}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, TimeType}

object SparkExpressions extends CatalystExpressions {
  override def isTimeOfDay(dataType: DataType): Boolean = dataType.isInstanceOf[TimeType]

  override def addInterval(timestamp: Expression, interval: Expression, timeZone: String): Expression =
    TimestampAddInterval(timestamp, interval, Some(timeZone))

  override def movedTimestamp(e: Expression): Option[(Expression, Expression)] = e match {
    case TimestampAddInterval(timestamp, interval, _) => Some(timestamp -> interval)
    case _                                            => None
  }

  override def evalMode(sum: Sum): EvalMode.Value = sum.evalContext.evalMode

  override def sum(input: Expression, evalMode: EvalMode.Value): Sum =
    Sum(input, NumericEvalContext(evalMode))

  override def rearrange(
      function: String,
      signature: FunctionSignature,
      arguments: Seq[Expression]
  ): Seq[Expression] =
    NamedParametersSupport.defaultRearrange(signature, arguments, function, SQLConf.get.resolver)
}
