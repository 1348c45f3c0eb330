package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.planning.PhysicalWindow
import org.apache.spark.sql.catalyst.expressions.{Attribute, WindowFunctionType}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.execution.streams.StreamingSlidingWindowExec
import org.slidewise.spark.plan.{StreamInput, StreamOptions, StreamOutput, StreamRefused, WindowSql}
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
      def refuse(reason: String) = throw new StreamRefused(StreamRefused.textOf(expressions, child), reason)
      ambiguousColumn(child).foreach { column =>
        refuse(
          s"two columns of the stream have the name ${column.name} and the type ${column.dataType.sql}, so that a restart could " +
            "not tell them apart: rename or drop one"
        )
      }
      StreamPlanner.of(windows.flatten, partitionSpec, orderSpec, conf) match {
        case Left(reason)      => refuse(reason)
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

  /** A column with the name and the type of another, among those that the window reads, also in expressions, or passes on. */
  private def ambiguousColumn(child: LogicalPlan): Option[Attribute] = {
    val definitions = WindowSql.definitions(child)
    val read = child.output.flatMap(a => definitions.get(a.exprId).fold(Seq(a))(_.references.toSeq))
    val distinct = read.distinctBy(_.exprId)
    distinct.find(a =>
      distinct.exists(b => b.exprId != a.exprId && b.name == a.name && b.dataType == a.dataType)
    )
  }
}
