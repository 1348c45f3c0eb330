package org.slidewise.spark.planning.parallel

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.SparkPlan

/**
 * Finds windows whose order a user's `SORT BY` or `sortWithinPartitions` above may need. If the rows of the window are in this order,
 * Spark drops the user's sort. The physical plan then does not show that the user needs the order.
 */
private[planning] object SortAbove {
  private val Needed = TreeNodeTag[Unit]("slidewise.orderNeeded")

  /** Marks the windows below a sort within partitions, down to the next operator with an order of its own. */
  def note(sort: Sort): Unit = if (!sort.global) noteIn(sort.child)

  private def noteIn(plan: LogicalPlan): Unit = plan match {
    case _: Sort | _: RepartitionOperation | _: RebalancePartitions | _: Aggregate => ()
    case other                                                                     =>
      if (other.isInstanceOf[Window]) other.setTagValue(Needed, ())
      other.children.foreach(noteIn)
  }

  /** Whether `note` has marked the window that an operator evaluates. */
  def of(operator: SparkPlan): Boolean = operator.logicalLink.exists(_.getTagValue(Needed).isDefined)
}
