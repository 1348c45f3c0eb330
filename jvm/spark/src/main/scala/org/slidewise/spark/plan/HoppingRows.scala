package org.slidewise.spark.plan

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, Statistics, UnaryNode}
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage

/**
 * Wraps an aggregation over hopping windows (`child`) that Slidewise evaluates, and corrects its statistics.
 *
 * Adaptive execution takes the row count of a shuffle as the row count of the aggregation above. Here, the shuffle holds panes, and
 * a pane may belong to many windows. This node therefore estimates the size of the windows. It states no maximum number of rows,
 * from which Spark would drop a `LIMIT`, a `DISTINCT` or a sort.
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
