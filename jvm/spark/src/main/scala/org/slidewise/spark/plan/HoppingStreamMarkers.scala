package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * Marks a streaming `GROUP BY` with a hopping `window()` between the optimizer and the planner, so that Spark's strategy for
 * streaming aggregations, which comes first, does not see it.
 *
 * @param place
 *   its place among the aggregations over hopping windows of streams, in the order of the plan
 * @param child
 *   the aggregation
 */
final case class HoppingStream(place: Int, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): HoppingStream = copy(child = newChild)
}

/**
 * The root of a streaming query of which Spark's operators evaluate some hopping windows.
 *
 * @param left
 *   the places of their aggregations, as in [[HoppingStream]]; none for all
 */
final case class HoppingLeftToSpark(left: Option[Set[Int]], child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): HoppingLeftToSpark =
    copy(child = newChild)

  def isLeft(place: Int): Boolean = left.forall(_.contains(place))
}
