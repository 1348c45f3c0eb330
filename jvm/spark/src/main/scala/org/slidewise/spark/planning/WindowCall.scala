package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.expressions.DistinctAggregate
import org.slidewise.spark.families.Families
import org.slidewise.spark.plan.{Frame, FramedAggregate, FramedFunctions, FrameReach, FunctionDescription}

/**
 * A window expression that Slidewise may evaluate.
 *
 * @param function
 *   an aggregate function, a rank, an offset such as `lag`, or a function in Python
 */
final case class WindowCall(
    expression: NamedExpression,
    function: Expression,
    filter: Option[Expression],
    frame: Frame
) {

  /** Whether Spark's operator reads each row only once to evaluate the call. */
  def isConstantInSpark: Boolean = description.isConstantInSpark(frame)

  /** The description of the function. */
  lazy val description: FunctionDescription = Families.of(function)

  /** The function in terms of aggregate functions over frames; or the reason why Spark evaluates it. */
  def framed: Either[String, FramedFunctions] = description.framed(filter, frame)

  /** The distances from a row to the rows that the function reads. */
  def reach: FrameReach = description.reach(frame)
}

object WindowCall {

  /** The function and the frame of the window expression; or the reason why Spark evaluates it. */
  def of(expression: NamedExpression, conf: SQLConf): Either[String, WindowCall] = expression match {
    case Alias(WindowExpression(function, WindowSpecDefinition(_, order, frame: SpecifiedWindowFrame)), _) =>
      Frame.of(frame, order, conf.sessionLocalTimeZone).flatMap(of(expression, function, _))
    case Alias(framed @ FramedAggregate(function: AggregateFunction, filter, _, _, _, _), _) =>
      Right(WindowCall(expression, Families.of(replaced(function)).inGroups, filter, framed.frame))
    case Alias(window: WindowExpression, _) => Left(s"${window.sql} has no frame")
    case other                              => Left(s"${other.sql} is not a window function over a frame")
  }

  private def of(
      expression: NamedExpression,
      function: Expression,
      frame: Frame
  ): Either[String, WindowCall] = function match {
    case AggregateExpression(aggregate, _, _, filter, _) =>
      Right(WindowCall(expression, replaced(aggregate), filter, frame))
    case other @ (_: AggregateWindowFunction | _: FrameLessOffsetWindowFunction | _: PythonFuncExpression) =>
      Right(WindowCall(expression, other, None, frame))
    case other => Left(s"${other.prettyName} is not an aggregate function")
  }

  /** The function by which the optimizer replaces `function`. Slidewise plans windows over streams before the optimizer runs. */
  private[planning] def replaced(function: AggregateFunction): AggregateFunction = function match {
    case replaceable: RuntimeReplaceableAggregate =>
      replaceable.replacement match {
        case replacement: AggregateFunction => replaced(replacement)
        case _                              => function
      }
    case DistinctAggregate(distinct, _, _) => DistinctAggregate(replaced(distinct))
    case other                             => other
  }

  /** The reason why nothing is planned while Slidewise is off. */
  private[planning] val IsOff = s"${SlidewiseSettings.Enabled} is false"
}
