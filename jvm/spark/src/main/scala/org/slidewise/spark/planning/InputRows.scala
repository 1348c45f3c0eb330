package org.slidewise.spark.planning

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

/**
 * How many rows windows read at most. Spark asks all nodes below for it; the planner comes from the top, so that a window tells those
 * below, each of which asks no more.
 */
private[planning] object InputRows {
  private val Told = TreeNodeTag[Option[Long]]("slidewise.inputRows")

  /** What is told is forgotten: adaptive execution plans a window again when more is known. */
  def most(window: LogicalPlan): Option[Long] = {
    val told = window.getTagValue(Told)
    window.unsetTagValue(Told)
    told.getOrElse(of(window.children.head))
  }

  private def of(plan: LogicalPlan): Option[Long] = plan match {
    case window: Window =>
      val found = of(window.child)
      window.setTagValue(Told, found)
      found
    case _: Project | _: Sort | _: SubqueryAlias => of(plan.children.head)
    case other                                   => other.maxRows
  }
}
