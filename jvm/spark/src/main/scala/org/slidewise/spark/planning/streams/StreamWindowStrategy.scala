package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.planning.PhysicalWindow
import org.apache.spark.sql.catalyst.expressions.WindowFunctionType
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.execution.streams.StreamingSlidingWindowExec
import org.slidewise.spark.plan.{StreamInput, StreamOptions, StreamOutput, StreamRefused}
import org.slidewise.spark.planning.WindowExpressions

/** Plans windows over streams. */
object StreamWindowStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case StreamInput(child, _) => planLater(child) :: Nil
    case StreamOutput(child)   => planLater(child) :: Nil
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
            StreamInput.nearest(child).fold(Map.empty[String, String])(_.computed),
            planLater(child)
          )
          val output = child.output ++ outputs
          (if (sliding.output == output) sliding else ProjectExec(output, sliding)) :: Nil
      }
    case _ => Nil
  }
}
