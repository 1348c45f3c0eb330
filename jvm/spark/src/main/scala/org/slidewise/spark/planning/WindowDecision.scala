package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._

/** Whether Slidewise runs a window expression. */
sealed trait WindowDecision

object WindowDecision {
  final case class Run(
      frame: SpecifiedWindowFrame,
      algorithm: Algorithm,
      function: AggregateFunction,
      filter: Option[Expression]
  ) extends WindowDecision

  /**
   * @param reason
   *   why not, for a person to read
   */
  final case class Leave(reason: String) extends WindowDecision

  /** Decides for one window expression, as it stands in a physical or an optimised logical plan. */
  def of(expression: NamedExpression, mergeApproximate: Boolean): WindowDecision = expression match {
    case Alias(WindowExpression(function, WindowSpecDefinition(_, _, frame: SpecifiedWindowFrame)), _) =>
      decide(function, frame, mergeApproximate)
    case Alias(window: WindowExpression, _) => Leave(s"${window.sql} has no frame")
    case wrapped                            =>
      wrapped.collectFirst { case window: WindowExpression => window } match {
        case Some(window) => of(Alias(window, wrapped.name)(), mergeApproximate)
        case None         => Leave(s"${wrapped.sql} is not a window function over a frame")
      }
  }

  private def decide(
      function: Expression,
      frame: SpecifiedWindowFrame,
      mergeApproximate: Boolean
  ): WindowDecision = (function, frame) match {
    case (AggregateExpression(_, _, true, _, _), _) =>
      Leave("Spark has no DISTINCT aggregates over windows")
    case (AggregateExpression(_: AggregateWindowFunction, _, _, _, _), _) | (_: AggregateWindowFunction, _) =>
      Leave(s"${name(function)} looks at a row's place in its partition or frame and is no aggregate")
    case (_: OffsetWindowFunction, _) =>
      Leave(s"${name(function)} looks at one other row: Spark needs constant time a row")
    case (_: AggregateExpression, SpecifiedWindowFrame(_, UnboundedPreceding, UnboundedFollowing)) =>
      Leave("the frame is the whole partition: Spark aggregates it once")
    case (_: AggregateExpression, SpecifiedWindowFrame(_, UnboundedPreceding, _)) =>
      Leave("the frame only grows: Spark needs constant time a row")
    case (AggregateExpression(_: PythonFuncExpression, _, _, _, _), _) | (_: PythonFuncExpression, _) =>
      Leave(s"${name(function)} runs in Python, which cannot merge states")
    case (AggregateExpression(aggregate, _, _, filter, _), _) =>
      Run(frame, Algorithm.of(aggregate, frame, mergeApproximate), aggregate, filter)
    case _ => Leave(s"${name(function)} is not an aggregate function")
  }

  private def name(function: Expression): String = function match {
    case AggregateExpression(f, _, _, _, _) => f.prettyName
    case other                              => other.prettyName
  }
}
