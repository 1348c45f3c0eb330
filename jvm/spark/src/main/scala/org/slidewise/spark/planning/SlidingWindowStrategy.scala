package org.slidewise.spark.planning

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.planning.PhysicalWindow
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.window.WindowExec
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.SlidingWindowExec
import org.slidewise.spark.planning.streams.StreamInput

/**
 * Plans moving frames as [[SlidingWindowExec]], and what else is in the same window as Spark's own operator above it;
 * one sort serves both. Whatever goes wrong here is a warning in the log, and Spark plans the window.
 */
object SlidingWindowStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case PhysicalWindow(WindowFunctionType.SQL, expressions, partitionSpec, orderSpec, child)
        if SlidewiseSettings.enabled(SQLConf.get) && !StreamInput.isBelow(child) =>
      try planWindow(expressions, partitionSpec, orderSpec, child)
      catch {
        case NonFatal(e) =>
          logWarning("Slidewise could not plan a window and leaves it to Spark: please report this", e)
          Nil
      }
    case _ => Nil
  }

  private def planWindow(
      expressions: Seq[NamedExpression],
      partitionSpec: Seq[Expression],
      orderSpec: Seq[SortOrder],
      child: LogicalPlan
  ): Seq[SparkPlan] = {
    val conf = SQLConf.get
    val options = WindowOptions.of(conf, partitionSpec, orderSpec)
    val (windows, outputs) = expressions.map(WindowExpressions.extract).unzip
    val (run, leave) =
      if (!SlidewiseSettings.enabled(conf)) (Nil, windows.flatten)
      else
        windows.flatten.partition(
          WindowDecision.of(_, options.mergeApproximate).isInstanceOf[WindowDecision.Run]
        )
    if (run.isEmpty) Nil
    else {
      // An operator of their own for what arrays can answer, which sorts the rows for the one above.
      val (arrays, others) =
        if (!options.sort) (Nil, run)
        else run.partition(ArrayPlan.of(_, orderSpec, conf.sessionLocalTimeZone).isDefined)
      val sliding = Seq(arrays, others).filter(_.nonEmpty).foldLeft(planLater(child)) { (below, some) =>
        val operator = SlidingWindowExec(some, partitionSpec, orderSpec, options, below)
        operator.algorithms // fails here, if it does, and not in the middle of the query
        operator
      }
      val all = if (leave.isEmpty) sliding else WindowExec(leave, partitionSpec, orderSpec, sliding)
      val output = child.output ++ outputs
      (if (all.output == output) all else ProjectExec(output, all)) :: Nil
    }
  }
}
