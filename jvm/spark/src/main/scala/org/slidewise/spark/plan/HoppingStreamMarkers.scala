package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * Marks a streaming `GROUP BY` with a hopping `window()` between the optimizer and the planner. The marker hides the aggregation
 * from Spark's strategy for streaming aggregations, which runs first.
 *
 * @param place
 *   the aggregation's index among the streaming aggregations over hopping windows, in the order of the plan
 * @param identities
 *   the identities of the query's streaming aggregations; none if the query has not been started
 * @param child
 *   the aggregation
 */
final case class HoppingStream(place: Int, identities: Option[Seq[AggregationIdentity]], child: LogicalPlan)
    extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def stringArgs: Iterator[Any] = Iterator(place)
  override protected def withNewChildInternal(newChild: LogicalPlan): HoppingStream = copy(child = newChild)
}

/**
 * The root of a streaming query with aggregations over windows, from its start on.
 *
 * @param identities
 *   the identities of its streaming aggregations, from the analyzed plan
 */
final case class HoppingQuery(identities: Seq[AggregationIdentity], child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def stringArgs: Iterator[Any] = Iterator.empty
  override protected def withNewChildInternal(newChild: LogicalPlan): HoppingQuery = copy(child = newChild)
}

/**
 * The root of a streaming query in which Spark's operators evaluate some or all hopping windows.
 *
 * @param left
 *   the places of the aggregations that Spark evaluates, as in [[HoppingStream]]; None if Spark evaluates all
 */
final case class HoppingLeftToSpark(left: Option[Set[Int]], child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): HoppingLeftToSpark =
    copy(child = newChild)

  def isLeft(place: Int): Boolean = left.forall(_.contains(place))
}
