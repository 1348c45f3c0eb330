package org.slidewise.spark.planning

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.execution.SparkPlan

/**
 * Windows whose partitions a user's `repartition(k)` or `DISTRIBUTE BY k` needs. Spark drops its shuffle where the window's already
 * brings the rows of a key together, and nothing in the physical plan shows it.
 */
private[planning] object RepartitionAbove {
  private val Needed = TreeNodeTag[Unit]("slidewise.partitionsNeeded")

  /** Notes it in the windows below a user's shuffle that keep its rows in their partitions. */
  @tailrec def note(below: LogicalPlan): Unit = below match {
    case window: Window =>
      window.setTagValue(Needed, ())
      note(window.child)
    case Project(_, child)          => note(child)
    case Filter(_, child)           => note(child)
    case sort: Sort if !sort.global => note(sort.child)
    case _                          => ()
  }

  /** Whether it was noted in the window that an operator evaluates. */
  def of(operator: SparkPlan): Boolean = operator.logicalLink.exists(_.getTagValue(Needed).isDefined)
}
