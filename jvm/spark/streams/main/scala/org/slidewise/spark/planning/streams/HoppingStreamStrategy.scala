package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.execution.HoppingWindowExec
import org.slidewise.spark.execution.streams.hopping.HoppingWindowStateExec
import org.slidewise.spark.plan.{HoppingDecision, HoppingDefinition, HoppingLeftToSpark, HoppingStream}
import org.slidewise.spark.planning.{NormalizedKey, PlanningFailure}
import org.slidewise.spark.planning.hopping.{
  HoppingWindowPlanner,
  HoppingWindowStrategy,
  PaneAggregation
}

/**
 * Plans a `GROUP BY` with a hopping `window()` over a stream as three parts: Spark's partial aggregation by key and pane,
 * [[HoppingWindowStateExec]] for the state, and [[HoppingWindowExec]], which merges the panes of windows. If planning fails, the
 * strategy logs a warning and Spark plans the aggregation.
 */
object HoppingStreamStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case marked @ HoppingStream(_, aggregate: Aggregate) =>
      PlanningFailure.leaveToSpark("a hopping window over a stream")(operators(marked, aggregate))(_ =>
        planLater(aggregate) :: Nil
      )
    case HoppingStream(place, Project(columns, child)) =>
      ProjectExec(columns, planLater(HoppingStream(place, child))) :: Nil
    case HoppingStream(_, other)      => planLater(other) :: Nil
    case HoppingLeftToSpark(_, child) => planLater(child) :: Nil
    case _                            => Nil
  }

  private def operators(marked: HoppingStream, aggregate: Aggregate): Seq[SparkPlan] =
    new HoppingWindowPlanner(SQLConf.get).decide(aggregate) match {
      case Some(Right((decision, found))) =>
        decision.operator.toSeq.map { plan =>
          val definition = HoppingDefinition.of(found.keys, found.aggregates, found.child)
          val keys = found.keys.map(NormalizedKey.of)
          val partials =
            PaneAggregation.of(
              keys,
              found.pane.toAttribute,
              plan,
              isStreaming = true,
              HoppingWindowStrategy.rowsOf(found.child, found.source)
            )
          HoppingWindowExec(
            plan,
            decision.functions,
            HoppingWindowStateExec(plan, marked.place, definition, partials)
          )
        }
      case other =>
        // The marker is the logical link of the topmost operator.
        other.foreach(_.left.foreach(marked.setTagValue(HoppingDecision.Tag, _)))
        planLater(aggregate) :: Nil
    }
}
