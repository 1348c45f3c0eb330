package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.planning.PhysicalWindow
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.PythonSlidingWindowExec
import org.slidewise.spark.plan._

/**
 * Plans the functions of a window that are written in Python as one [[PythonSlidingWindowExec]], if `slidewise.udaf` made all of
 * them.
 */
object PythonWindowStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case PhysicalWindow(WindowFunctionType.Python, expressions, partitionSpec, orderSpec, child)
        if !StreamInput.isBelow(child) =>
      decide(expressions) match {
        case Right(found) => Seq(PythonSlidingWindowExec(found, partitionSpec, orderSpec, planLater(child)))
        case Left(left)   =>
          plan.setTagValue(WindowPlan.Tag, WindowPlan(None, left))
          Nil
      }
    case _ => Nil
  }

  private def decide(expressions: Seq[NamedExpression]): Either[Seq[EvaluatedBySpark], PythonWindowPlan] =
    if (!SlidewiseSettings.enabled(SQLConf.get)) Left(expressions.map(EvaluatedBySpark(_, WindowCall.IsOff)))
    else
      PlanningFailure.leaveToSpark("a window")(planned(expressions))(e =>
        Left(expressions.map(EvaluatedBySpark(_, s"planning it failed: $e")))
      )

  private def planned(expressions: Seq[NamedExpression]): Either[Seq[EvaluatedBySpark], PythonWindowPlan] = {
    val decided = expressions.map { e =>
      for {
        call <- WindowCall.of(e, SQLConf.get)
        aggregate <- PythonAggregate.of(call.function).toRight(whyNot(call))
      } yield call -> aggregate
    }
    if (decided.exists(_.isLeft))
      Left(expressions.zip(decided).map { case (e, d) => EvaluatedBySpark(e, d.fold(identity, _ => Shared)) })
    else {
      val (calls, functions) = decided.flatMap(_.toOption).unzip
      val frames = calls.map(_.frame).distinct
      val places = frames.zipWithIndex.toMap
      Right(
        PythonWindowPlan(
          calls.zip(functions).map { case (call, f) =>
            PlannedExpression(call.expression, f.method, None, call.reach)
          },
          functions,
          calls.map(call => places(call.frame)),
          frames
        )
      )
    }
  }

  private def whyNot(call: WindowCall): String =
    call.framed.left.getOrElse(s"${call.function.prettyName} does not run in Python")

  private val Shared = "a function of the same window runs in Python and is not a slidewise.Aggregator"
}
