package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate._

import org.slidewise.spark.config.SlidewiseSettings

/** A window expression that is an aggregate function over a frame, and that Slidewise evaluates over tables. */
final case class WindowAggregate(
    expression: NamedExpression,
    function: AggregateFunction,
    filter: Option[Expression],
    frame: SpecifiedWindowFrame
)

object WindowAggregate {

  /** What the window expression aggregates; or why Spark evaluates it. */
  def of(expression: NamedExpression): Either[String, WindowAggregate] = expression match {
    case Alias(WindowExpression(function, WindowSpecDefinition(_, _, frame: SpecifiedWindowFrame)), _) =>
      of(expression, function, frame)
    case Alias(window: WindowExpression, _) => Left(s"${window.sql} has no frame")
    case other                              => Left(s"${other.sql} is not a window function over a frame")
  }

  private def of(
      expression: NamedExpression,
      function: Expression,
      frame: SpecifiedWindowFrame
  ): Either[String, WindowAggregate] = (function, frame) match {
    case (AggregateExpression(_, _, true, _, _), _) => Left(NoDistinct)
    case (AggregateExpression(_: AggregateWindowFunction, _, _, _, _), _) | (_: AggregateWindowFunction, _) =>
      Left(s"${nameOf(function)} depends on a row's place in its partition or frame and is no aggregate")
    case (_: OffsetWindowFunction, _) =>
      Left(s"${nameOf(function)} reads one other row, for which Spark needs constant time")
    case (_: AggregateExpression, SpecifiedWindowFrame(_, UnboundedPreceding, UnboundedFollowing)) =>
      Left("the frame is the whole partition, which Spark aggregates once")
    case (_: AggregateExpression, SpecifiedWindowFrame(_, UnboundedPreceding, _)) =>
      Left("the frame only grows: Spark needs constant time a row")
    case (AggregateExpression(_: PythonFuncExpression, _, _, _, _), _) | (_: PythonFuncExpression, _) =>
      Left(s"${nameOf(function)} runs in Python, which cannot merge partial aggregates")
    case (AggregateExpression(aggregate, _, _, filter, _), _) =>
      Right(WindowAggregate(expression, aggregate, filter, frame))
    case _ => Left(s"${nameOf(function)} is not an aggregate function")
  }

  private[planning] val NoDistinct = "Spark has no DISTINCT aggregates over windows"

  /** The name under which a person knows the function. */
  private[planning] def nameOf(function: Expression): String = function match {
    case AggregateExpression(f, _, _, _, _) => nameOf(f)
    case python: PythonFuncExpression       => python.name
    case other                              => other.prettyName
  }

  /** Why nothing is planned while Slidewise is off. */
  private[planning] val IsOff = s"${SlidewiseSettings.Enabled} is false"
}
