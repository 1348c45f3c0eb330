package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.expressions.{Alias, NamedExpression}
import org.apache.spark.sql.catalyst.planning.PhysicalWindow
import org.apache.spark.sql.catalyst.expressions.WindowFunctionType
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.execution.streams.StreamingSlidingWindowExec
import org.slidewise.spark.plan._
import org.slidewise.spark.planning.WindowExpressions

/** Plans windows over streams. */
object StreamWindowStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case input: StreamInput  => planLater(input.child) :: Nil
    case StreamOutput(child) => planLater(child) :: Nil
    case PhysicalWindow(WindowFunctionType.SQL, expressions, partitionSpec, orderSpec, child)
        if StreamInput.isBelow(child) =>
      val conf = SQLConf.get
      val (windows, outputs) = expressions.map(WindowExpressions.extract).unzip
      StreamPlanner.of(windows.flatten, partitionSpec, orderSpec, conf) match {
        case Left(reason)      => throw new StreamRefused(StreamRefused.textOf(expressions, child), reason)
        case Right(streamPlan) =>
          val sliding = StreamingSlidingWindowExec(
            streamPlan,
            StreamOptions.of(conf),
            StreamInput.nearest(child).flatMap(_.windowIdentity).map(optimized(_, child, windows, outputs)),
            planLater(child)
          )
          val output = child.output ++ outputs
          (if (sliding.output == output) sliding else ProjectExec(output, sliding)) :: Nil
      }
    case _ => Nil
  }

  /** The identity, extended by the columns and window expressions that the optimizer has derived from others. */
  private def optimized(
      identity: WindowIdentity,
      child: LogicalPlan,
      windows: Seq[Seq[NamedExpression]],
      outputs: Seq[NamedExpression]
  ): WindowIdentity = {
    val columns = projectedAbove(child)
      .foldLeft(identity.columns) {
        case (known, alias: Alias) if !known.contains(alias.exprId) =>
          val text = CanonicalForm.shortened(new CanonicalForm(known.get)(alias.child))
          known + (alias.exprId -> Identity(text, ColumnText.in(alias.child, known.get).sql))
        case (known, _) => known
      }
    val parts = for {
      (own, output) <- windows.zip(outputs)
      function <- identity.functions.get(output.exprId).toSeq
      (part, i) <- own.zipWithIndex
      if part.exprId != output.exprId
    } yield part.exprId -> Identity(s"${function.canonical} of ${own.size}: $i", function.sql)
    WindowIdentity(columns, identity.functions ++ parts)
  }

  /** The expressions of all projections between the stream's input and the window, from the bottom up. */
  private def projectedAbove(plan: LogicalPlan): Seq[NamedExpression] = plan match {
    case _: StreamInput       => Nil
    case Project(list, child) => projectedAbove(child) ++ list
    case other                => other.children.flatMap(projectedAbove)
  }
}
