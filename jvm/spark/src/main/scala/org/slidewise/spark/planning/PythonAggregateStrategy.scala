package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.planning.PhysicalAggregation
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.internal.SQLConf

import org.slidewise.spark.config.SlidewiseSettings
import org.slidewise.spark.execution.PythonAggregateExec
import org.slidewise.spark.plan.{PythonAggregate, StreamInput}

/**
 * Plans a `GROUP BY` if `slidewise.udaf` made all its functions, which are aggregators in Python. One operator computes partial
 * buffers before the shuffle, and one merges them after it.
 */
object PythonAggregateStrategy extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case PhysicalAggregation(grouping, aggregates, results, child)
        if aggregates.nonEmpty && !StreamInput.isBelow(child) =>
      PlanningFailure.leaveToSpark("an aggregate") {
        val functions = aggregates.map(a => PythonAggregate.of(a.aggregateFunction))
        val areOurs =
          functions.forall(_.isDefined) && !grouping.exists(_.metadata.contains(SessionWindow.marker))
        if (areOurs && SlidewiseSettings.enabled(SQLConf.get))
          Seq(operators(grouping, aggregates, functions.flatten, results, planLater(child)))
        else Nil
      }(_ => Nil)
    case _ => Nil
  }

  private def operators(
      grouping: Seq[NamedExpression],
      aggregates: Seq[AggregateExpression],
      functions: Seq[PythonAggregate],
      results: Seq[NamedExpression],
      child: SparkPlan
  ): SparkPlan = {
    val groups = grouping.map(NormalizedKey.of)
    val buffers = functions.map(f => AttributeReference(s"${f.function.name}_buffer", f.bufferType)())
    val partial = PythonAggregateExec(groups, functions, buffers, isPartial = true, child)
    val whole = PythonAggregateExec(
      groups.map(_.toAttribute),
      functions,
      aggregates.map(_.resultAttribute),
      isPartial = false,
      partial
    )
    ProjectExec(results, whole)
  }
}
