package org.slidewise.spark.planning.streams

import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.execution.HoppingWindowExec
import org.slidewise.spark.execution.streams.hopping.HoppingWindowStateExec
import org.slidewise.spark.plan.{
  AggregationIdentity,
  HoppingDecision,
  HoppingLeftToSpark,
  HoppingQuery,
  HoppingStream
}
import org.slidewise.spark.planning.{NormalizedKey, PlanningFailure}
import org.slidewise.spark.planning.hopping.{
  HoppingAggregate,
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
    case marked @ HoppingStream(_, _, aggregate: Aggregate) =>
      PlanningFailure.leaveToSpark("a hopping window over a stream")(operators(marked, aggregate))(_ =>
        planLater(aggregate) :: Nil
      )
    case HoppingStream(place, identities, Project(columns, child)) =>
      ProjectExec(columns, planLater(HoppingStream(place, identities, child))) :: Nil
    case HoppingStream(_, _, other)   => planLater(other) :: Nil
    case HoppingLeftToSpark(_, child) => planLater(child) :: Nil
    case HoppingQuery(_, child)       => planLater(child) :: Nil
    case _                            => Nil
  }

  private def operators(marked: HoppingStream, aggregate: Aggregate): Seq[SparkPlan] = {
    val planner = new HoppingWindowPlanner(SQLConf.get)
    planner.decide(aggregate, reasonToLeave(marked, _)) match {
      case Some(Right((decision, found))) =>
        val current = planner.operator(found, decision)
        // Earlier runs may have stored null keys, even if the keys of this run are not nullable.
        val plan = current.copy(keys = current.keys.map(_.withNullability(true)))
        val keys = found.keys.map(NormalizedKey.of)
        val rows = HoppingWindowStrategy.rowsOf(found.input)
        val partials = PaneAggregation.of(keys, plan, isStreaming = true, rows)
        val states = HoppingWindowStateExec(plan, marked.place, identityOf(marked, found), partials)
        HoppingWindowExec(plan, decision.functions, states) :: Nil
      case other =>
        // The marker is the logical link of the topmost operator.
        other.foreach(_.left.foreach(marked.setTagValue(HoppingDecision.Tag, _)))
        planLater(aggregate) :: Nil
    }
  }

  /**
   * The identity of the aggregation, from the analyzed plan. Matches the functions or, if the optimizer has left no function, the
   * window. If several aggregations group by the same window, the lowest one has expanded the rows.
   */
  private def identityOf(marked: HoppingStream, found: HoppingAggregate): Option[AggregationIdentity] = {
    val functions = found.aggregates.map(_.resultId)
    val computed =
      marked.identities.getOrElse(Nil).filter(known => functions.forall(known.functions.contains))
    if (functions.nonEmpty) computed.headOption
    else computed.reverse.find(_.groupedBy.contains(found.window.exprId))
  }

  private def reasonToLeave(marked: HoppingStream, found: HoppingAggregate): Option[String] =
    if (marked.identities.isDefined && identityOf(marked, found).isEmpty)
      Some("the optimizer has changed its functions, by which a restart would know it")
    else None
}
