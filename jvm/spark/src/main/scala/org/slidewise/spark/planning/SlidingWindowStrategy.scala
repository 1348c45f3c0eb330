package org.slidewise.spark.planning

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions.{Expression, NamedExpression, SortOrder, WindowFunctionType}
import org.apache.spark.sql.catalyst.planning.PhysicalWindow
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.window.WindowExec
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.SlidewiseSettings
import org.slidewise.spark.execution.SlidingWindowExec

/**
 * Plans moving frames as [[SlidingWindowExec]], and what else is in the same window as Spark's own operator above it;
 * one sort serves both. Whatever goes wrong here is a warning in the log, and Spark plans the window.
 */
object SlidingWindowStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case PhysicalWindow(WindowFunctionType.SQL, expressions, partitionSpec, orderSpec, child) =>
      try planWindow(plan, expressions, partitionSpec, orderSpec, child)
      catch {
        case NonFatal(e) =>
          logWarning("Slidewise could not plan a window and leaves it to Spark: please report this", e)
          Nil
      }
    case _ => Nil
  }

  private def planWindow(
      window: LogicalPlan,
      expressions: Seq[NamedExpression],
      partitionSpec: Seq[Expression],
      orderSpec: Seq[SortOrder],
      child: LogicalPlan
  ): Seq[SparkPlan] = {
    val conf = SQLConf.get
    val options = WindowOptions.of(conf, partitionSpec, orderSpec)
    val (run, leave) =
      if (!SlidewiseSettings.enabled(conf)) (Nil, expressions)
      else
        expressions.partition(WindowDecision.of(_, options.mergeApproximate).isInstanceOf[WindowDecision.Run])
    if (run.isEmpty) Nil
    else {
      val sliding = SlidingWindowExec(run, partitionSpec, orderSpec, options, planLater(child))
      sliding.algorithms // fails here, if it does, and not in the middle of the query
      if (leave.isEmpty) sliding :: Nil
      else ProjectExec(window.output, WindowExec(leave, partitionSpec, orderSpec, sliding)) :: Nil
    }
  }
}
