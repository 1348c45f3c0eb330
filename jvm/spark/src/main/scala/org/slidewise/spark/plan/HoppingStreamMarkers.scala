package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * Marks a streaming `GROUP BY` with a hopping `window()` between the optimizer and the planner, so that Spark's strategy for
 * streaming aggregations, which comes first, does not see it.
 *
 * @param child
 *   the aggregation
 */
final case class HoppingStream(child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): HoppingStream = copy(child = newChild)
}

/**
 * The root of a streaming query of which Spark's operators evaluate some hopping windows.
 *
 * @param left
 *   the places of their aggregations among those of hopping windows over streams, in the order of the plan; none for all
 */
final case class HoppingLeftToSpark(left: Option[Set[Int]], child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): HoppingLeftToSpark = copy(child = newChild)

  def isLeft(place: Int): Boolean = left.forall(_.contains(place))
}
