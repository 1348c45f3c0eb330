package org.slidewise.spark.planning.hopping

import org.apache.spark.sql.catalyst.expressions.{Attribute, NamedExpression}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, PartialMerge}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.aggregate._

import org.slidewise.spark.plan.HoppingWindowPlan

/** Plans Spark's own aggregation to one row of aggregation buffers for each key and pane. */
private[planning] object PaneAggregation {

  /**
   * Plans a partial aggregation, a shuffle by the keys without the pane, and a merge of the partial aggregates.
   *
   * @param keys
   *   the grouping columns, in terms of `child`
   * @param isStreaming
   *   whether a stateful operator reads the rows; the shuffle then has the operator's partitions
   * @return
   *   an operator that returns rows of [[HoppingWindowPlan.partial]]
   */
  def of(
      keys: Seq[NamedExpression],
      plan: HoppingWindowPlan,
      isStreaming: Boolean,
      child: SparkPlan
  ): SparkPlan = {
    val grouping = keys :+ plan.pane
    val complete =
      AggUtils.planAggregateWithoutDistinct(grouping, plan.aggregates, grouping.map(_.toAttribute), child)
    merging(complete.head, plan, isStreaming)
  }

  private def merging(complete: SparkPlan, plan: HoppingWindowPlan, isStreaming: Boolean): SparkPlan = {
    val clustering: Option[Seq[Attribute]] = Some(plan.keys)
    val aggregates: Seq[AggregateExpression] = plan.aggregates.map(_.copy(mode = PartialMerge, filter = None))
    val attributes = aggregates.map(_.resultAttribute)
    complete match {
      case hash: HashAggregateExec =>
        hash.copy(
          requiredChildDistributionExpressions = clustering,
          isStreaming = isStreaming,
          aggregateExpressions = aggregates,
          aggregateAttributes = attributes,
          resultExpressions = plan.partial
        )
      case hash: ObjectHashAggregateExec =>
        hash.copy(
          requiredChildDistributionExpressions = clustering,
          isStreaming = isStreaming,
          aggregateExpressions = aggregates,
          aggregateAttributes = attributes,
          resultExpressions = plan.partial
        )
      case sort: SortAggregateExec =>
        sort.copy(
          requiredChildDistributionExpressions = clustering,
          isStreaming = isStreaming,
          aggregateExpressions = aggregates,
          aggregateAttributes = attributes,
          resultExpressions = plan.partial
        )
      case other =>
        throw new IllegalStateException(s"${other.nodeName} is an aggregation that Slidewise does not know")
    }
  }
}
