package org.slidewise.spark.planning.hopping

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Generate, LogicalPlan, Project, Subquery}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.AGGREGATE
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.plan.{HoppingDecision, HoppingRows, WindowedRows, WindowsOfTime}
import org.slidewise.spark.planning.PlanningFailure
import org.slidewise.spark.shims.SparkSessions

/**
 * Decides which aggregations of hopping windows over tables Slidewise evaluates, and adds estimates of the number of rows. It
 * replaces each `Generate` of [[WindowsOfTime]] by [[WindowedRows]], and puts [[HoppingRows]] above each aggregation that Slidewise
 * evaluates.
 *
 * It is the last rule of the optimizer, because Spark pushes no filters, such as those of dynamic partition pruning, through nodes
 * of other projects.
 */
object EstimateHoppingWindows extends Rule[LogicalPlan] with Logging {

  /** Adds the rule to the optimizer of `session`. */
  def addTo(session: SparkSession): Unit = {
    val methods = SparkSessions.of(session).experimental
    if (!methods.extraOptimizations.contains(this)) methods.extraOptimizations :+= this
  }

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.containsPattern(AGGREGATE) || isCorrelated(plan)) plan
    else
      plan.transformUp {
        case aggregate: Aggregate
            if !aggregate.isStreaming && aggregate.getTagValue(HoppingDecision.Tag).isEmpty =>
          bounded(aggregate)
        case generate @ Generate(times: WindowsOfTime, unrequired, _, _, _, child) =>
          val rows = WindowedRows(times, generate.qualifiedGeneratorOutput.head, child)
          if (unrequired.isEmpty) rows else Project(generate.output, rows)
      }

  /** Whether the plan is a subquery that Spark joins with the query around it: the nodes of this rule would stop its later rules. */
  private def isCorrelated(plan: LogicalPlan): Boolean = plan match {
    case subquery: Subquery => subquery.correlated
    case _                  => false
  }

  private def bounded(aggregate: Aggregate): LogicalPlan =
    PlanningFailure.leaveToSpark[LogicalPlan]("a hopping window") {
      new HoppingWindowPlanner(SQLConf.get).decide(aggregate) match {
        case Some(Right((decision, found))) =>
          aggregate.setTagValue(HoppingDecision.Tag, decision)
          HoppingRows(found.windows, aggregate)
        case Some(Left(decision)) =>
          aggregate.setTagValue(HoppingDecision.Tag, decision)
          aggregate
        case None => aggregate
      }
    }(_ => aggregate)
}
