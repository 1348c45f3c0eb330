package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, Statistics, UnaryNode}
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage

/**
 * The rows of an aggregation of hopping windows that Slidewise evaluates, which is `child`.
 *
 * Adaptive execution takes the rows of a shuffle for the rows of the aggregation above it. Here, they are panes, and a pane may be
 * in many windows. This node states no maximum of rows, from which Spark would drop a `LIMIT`, a `DISTINCT` or a sort, and
 * estimates the size of the windows.
 */
final case class HoppingRows(windows: HoppingWindows, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output

  override def stats: Statistics =
    if (isStage(child))
      child.stats.copy(sizeInBytes = child.stats.sizeInBytes * windows.overlapping, rowCount = None)
    else child.stats

  private def isStage(plan: LogicalPlan): Boolean = plan match {
    case _: LogicalQueryStage => true
    case Project(_, below)    => isStage(below)
    case Filter(_, below)     => isStage(below)
    case _                    => false
  }

  override protected def withNewChildInternal(newChild: LogicalPlan): HoppingRows = copy(child = newChild)
}
