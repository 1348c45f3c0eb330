package org.slidewise.spark.planning.hopping

import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, Generate, LogicalPlan, Project}
import org.apache.spark.sql.execution.{FilterExec, ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.execution.HoppingWindowExec
import org.slidewise.spark.plan.{HoppingDecision, HoppingRows, WindowedRows}
import org.slidewise.spark.planning.{NormalizedKey, PlanningFailure}

/**
 * Plans a `GROUP BY` with a hopping `window()` as Spark's partial aggregation by key and pane, and one [[HoppingWindowExec]]
 * that merges panes to windows. If planning fails, or this Spark lacks a class or method, the strategy logs a warning and Spark
 * plans the aggregation.
 */
object HoppingWindowStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case aggregate: Aggregate if !aggregate.isStreaming =>
      PlanningFailure.leaveToSpark("a hopping window")(operators(aggregate))(_ => Nil)
    // Adaptive execution finds the node through the projection, which Spark removes again.
    case HoppingRows(_, child)              => ProjectExec(child.output, planLater(child)) :: Nil
    case WindowedRows(times, window, child) =>
      planLater(Generate(times, Nil, outer = false, None, Seq(window), child)) :: Nil
    case _ => Nil
  }

  private def operators(aggregate: Aggregate): Seq[SparkPlan] = {
    val planner = new HoppingWindowPlanner(SQLConf.get)
    aggregate.getTagValue(HoppingDecision.Tag) match {
      // Since the decision, adaptive execution may have replaced parts of the input by stages.
      case Some(decision) if decision.reasonToLeave.isEmpty =>
        HoppingAggregate.parts(aggregate).toSeq.map(operator(_, decision, planner))
      case Some(_) => Nil
      case None    =>
        for (Left(decision) <- planner.decide(aggregate, _ => Some(NotOptimized)))
          aggregate.setTagValue(HoppingDecision.Tag, decision)
        Nil
    }
  }

  private def operator(found: HoppingAggregate, decision: HoppingDecision, planner: HoppingWindowPlanner) = {
    val plan = planner.operator(found, decision)
    val keys = found.keys.map(NormalizedKey.of)
    val partials = PaneAggregation.of(keys, plan, isStreaming = false, rowsOf(found.input))
    HoppingWindowExec(plan, decision.functions, partials)
  }

  private val NotOptimized =
    "the optimizer of this session does not run Slidewise's rule EstimateHoppingWindows"

  /**
   * Plans the projections and filters over the source at once, and leaves the source to Spark's planner. Adaptive execution finds a
   * stage, such as a cached table, through its logical plan. It would wait forever for a stage whose logical plan is not part of the
   * query's plan.
   */
  private[planning] def rowsOf(input: HoppingInput): SparkPlan = rowsOf(input.rows, input.source)

  private def rowsOf(plan: LogicalPlan, source: LogicalPlan): SparkPlan = plan match {
    case own if own eq source     => planLater(own)
    case Project(columns, child)  => ProjectExec(columns, rowsOf(child, source))
    case Filter(condition, child) => FilterExec(condition, rowsOf(child, source))
    case other                    => planLater(other)
  }
}
